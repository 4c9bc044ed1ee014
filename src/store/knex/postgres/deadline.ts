/**
 * Limits the time of every statement: if the server is silent, the connection is ended, and with it everything that
 * waits on it.
 */

import type pg from 'pg';

const unlimited = new WeakSet<pg.Client>();

/**
 * Ends the connection when a statement is not answered in time. The server has a time limit of its own; this one is for
 * a silent server or network. Callers get `Connection terminated`, and the pool opens a new connection for the next.
 */
export function endWhenSilent(connection: pg.Client, milliseconds: number): void {
  let timer: NodeJS.Timeout | undefined;
  const query = connection.query.bind(connection) as (...given: unknown[]) => unknown; // One of several shapes.
  const watched = (...given: unknown[]) => {
    clearTimeout(timer);
    if (!unlimited.has(connection)) timer = setTimeout(() => void connection.end(), milliseconds);
    return query(...given);
  };
  // pg emits `drain` when no statement is left.
  connection.on('drain', () => clearTimeout(timer)).on('end', () => clearTimeout(timer));
  Object.assign(connection, { query: watched });
}

/** Runs `work` without a time limit for its statements on this connection. */
export async function withoutDeadline<Result>(connection: pg.Client, work: () => Promise<Result>): Promise<Result> {
  unlimited.add(connection);
  try {
    return await work();
  } finally {
    unlimited.delete(connection);
  }
}
