/** No statement waits for ever: a connection whose server says nothing is ended, and with it whatever waits on it. */

import type pg from 'pg';

const unlimited = new WeakSet<pg.Client>();

/**
 * Ends the connection when a statement has not been answered after so long. The server has a time limit of its own;
 * this one is for the server, or the network, that is silent. Whoever waits hears `Connection terminated`, and the pool
 * makes a new connection for the next.
 */
export function endWhenSilent(connection: pg.Client, milliseconds: number): void {
  let timer: NodeJS.Timeout | undefined;
  const query = connection.query.bind(connection) as (...given: unknown[]) => unknown; // One of several shapes.
  const watched = (...given: unknown[]) => {
    clearTimeout(timer);
    if (!unlimited.has(connection)) timer = setTimeout(() => void connection.end(), milliseconds);
    return query(...given);
  };
  // pg says `drain` when no statement is left.
  connection.on('drain', () => clearTimeout(timer)).on('end', () => clearTimeout(timer));
  Object.assign(connection, { query: watched });
}

/** Runs `work`, whose statements on this connection may take as long as they will. */
export async function withoutDeadline<Result>(connection: pg.Client, work: () => Promise<Result>): Promise<Result> {
  unlimited.add(connection);
  try {
    return await work();
  } finally {
    unlimited.delete(connection);
  }
}
