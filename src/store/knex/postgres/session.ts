/**
 * Checks that a connection to PostgreSQL keeps its session, to which settings and prepared statements belong. Behind a
 * pooler that gives each transaction another server connection, timeouts and `synchronous_commit` would apply to
 * anyone's session, and prepared statements would be missing.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';
import { Failure } from '../../../domain/failure.ts';

const marks = new WeakMap<pg.Client, string>();

/** Marks the session of a new connection with a unique value. */
export function markSession(connection: pg.Client): string {
  const mark = randomUUID();
  marks.set(connection, mark);
  return `set gatehouse.session to '${mark}'`;
}

export const sessionsLost = 'a pooler in front of the database does not keep sessions';

/**
 * Throws `unavailable` when one of two connections finds a mark other than its own. A pooler hands out either the
 * server connection that was returned last, or the one returned first. In the first case both have marked the same
 * connection; in the second, two consecutive queries reach different ones.
 */
export async function requireSessions(db: Knex): Promise<void> {
  const client: Knex.Client = db.client;
  const acquired = await Promise.allSettled([client.acquireConnection(), client.acquireConnection()]);
  const connections = acquired.flatMap((one) => (one.status === 'fulfilled' ? [one.value as pg.Client] : []));
  try {
    for (const one of acquired) if (one.status === 'rejected') throw one.reason;
    await Promise.all(connections.map(requireSession));
    for (let times = 0; times < 2; times += 1) await Promise.all(connections.slice(0, 1).map(requireSession));
  } finally {
    for (const connection of connections) await client.releaseConnection(connection);
  }
}

async function requireSession(connection: pg.Client): Promise<void> {
  const { rows } = await connection.query("select current_setting('gatehouse.session', true) as mark");
  if (rows[0]?.mark === marks.get(connection)) return;
  const message = `${sessionsLost}: set pool_mode to session in PgBouncer, or let DATABASE_URL name the database itself`;
  throw new Failure('unavailable', { name: 'pooler', message, reason: sessionsLost, retryAfterSeconds: 1 });
}
