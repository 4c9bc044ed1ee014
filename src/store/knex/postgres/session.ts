/**
 * Checks what a connection to PostgreSQL keeps. By default that is its session, to which settings and prepared
 * statements belong: behind a pooler that gives each transaction another server connection, timeouts and
 * `synchronous_commit` would apply to anyone's session, and prepared statements would be missing. With
 * `DATABASE_POOLING=transaction` (transaction-pooling.ts) it is its transactions.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { Failure } from '../../../domain/failure.ts';
import type { Settings } from './settings.ts';

const marks = new WeakMap<pg.Client, string>();

/** Marks the session of a new connection with a unique value. */
export function markSession(connection: pg.Client): string {
  const mark = randomUUID();
  marks.set(connection, mark);
  return `set gatehouse.session to '${mark}'`;
}

export const sessionsLost = 'a pooler in front of the database does not keep sessions';

/** A statement that others have to end for is not waited for any longer than this. */
const patienceMilliseconds = 200;

/**
 * Throws `unavailable` when one of two connections finds a mark other than its own. A pooler hands out either the server
 * connection that was returned last, or the one returned first. While a transaction of one connection is open, the other
 * one is served elsewhere; what each gets next is then the other one's in the first case when they change places, and in
 * the second when they do so twice without changing back.
 */
export async function requireSessions(db: Knex): Promise<void> {
  const client: Knex.Client = db.client;
  const acquired = await Promise.allSettled([client.acquireConnection(), client.acquireConnection()]);
  const connections = acquired.flatMap((one) => (one.status === 'fulfilled' ? [one.value as pg.Client] : []));
  try {
    for (const one of acquired) if (one.status === 'rejected') throw one.reason;
    const [one, other] = connections as [pg.Client, pg.Client];
    await requireApart(one, other);
    await requireApart(other, one);
    await requireApart(other, one);
  } finally {
    for (const connection of connections) await client.releaseConnection(connection);
  }
}

/** Both find their own marks, the second one while the first one's transaction is open. */
async function requireApart(holder: pg.Client, other: pg.Client): Promise<void> {
  let asked: Promise<void>;
  await holder.query('begin').catch((error: unknown) => {
    throw isOfStatements(error) ? withoutSessions() : error;
  });
  try {
    await requireSession(holder);
    asked = requireSession(other);
    // Where a pooler has no other connection of the server, it waits for the end of the transaction.
    await Promise.race([asked.catch(() => {}), delay(patienceMilliseconds, undefined, { ref: false })]);
  } finally {
    await holder.query('rollback');
  }
  await asked;
}

async function requireSession(connection: pg.Client): Promise<void> {
  const { rows } = await connection.query("select current_setting('gatehouse.session', true) as mark");
  if (rows[0]?.mark !== marks.get(connection)) throw withoutSessions();
}

function withoutSessions(): Failure {
  return refused(
    sessionsLost,
    'set DATABASE_POOLING=transaction, or pool_mode to session in PgBouncer, or let DATABASE_URL name the database itself',
  );
}

/** PgBouncer's words where it refuses a transaction; then it ends the connection. */
function isOfStatements(error: unknown): boolean {
  return error instanceof Error && error.message.includes('statement pooling');
}

function refused(reason: string, remedy: string): Failure {
  return new Failure('unavailable', { name: 'pooler', message: `${reason}: ${remedy}`, reason, retryAfterSeconds: 1 });
}

const transactionsLost = 'a pooler in front of the database does not keep transactions';
const otherIsolation = 'transactions of the database are not READ COMMITTED by default';

/** What a statement finds where it runs. */
interface Surroundings {
  readonly server: number;
  readonly isolation: string;
  readonly isDurable: boolean;
  /** In milliseconds. */
  readonly statementTimeout: number;
  readonly lockTimeout: number;
}

const look = `select pg_backend_pid() as server, current_setting('transaction_isolation') as isolation,
  current_setting('synchronous_commit') = 'on' as "isDurable",
  extract(epoch from current_setting('statement_timeout')::interval)::float8 * 1000 as "statementTimeout",
  extract(epoch from current_setting('lock_timeout')::interval)::float8 * 1000 as "lockTimeout"`;

async function lookAround(connection: pg.Client): Promise<Surroundings> {
  const { rows } = await connection.query<Surroundings>(look);
  return rows[0] as Surroundings; // It answers one row.
}

async function lookTwiceInTransaction(connection: pg.Client): Promise<[Surroundings, Surroundings]> {
  try {
    await connection.query('begin');
    const seen = [await lookAround(connection), await lookAround(connection)] as [Surroundings, Surroundings];
    await connection.query('commit');
    return seen;
  } catch (error) {
    await connection.query('rollback').catch(() => {});
    throw isOfStatements(error) ? withoutTransactions() : error;
  }
}

/** PgBouncer refuses a connection with parameters that it cannot set on a connection of the server. */
export function parameterRefused({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): Failure | null {
  if (code !== '08P01' || !message.includes('unsupported startup parameter')) return null;
  const reason = 'a pooler in front of the database refuses a parameter of DATABASE_URL';
  return refused(
    reason,
    'remove `options` there, and set what it said on the role or the database (alter role … set …)',
  );
}

function withoutTransactions(): Failure {
  return refused(transactionsLost, 'set pool_mode to transaction or session in PgBouncer');
}

/** Throws `unavailable` when a connection does not keep a transaction with the settings that it brings along. */
export async function requireTransactions(db: Knex, settings: Settings): Promise<void> {
  const client: Knex.Client = db.client;
  const connection: pg.Client = await client.acquireConnection();
  try {
    const alone = await lookAround(connection);
    const [first, second] = await lookTwiceInTransaction(connection);
    const isKept = [alone, first, second].every(
      (seen) =>
        seen.isDurable &&
        Math.round(seen.statementTimeout) === settings.statementTimeout &&
        Math.round(seen.lockTimeout) === settings.lockTimeout,
    );
    if (!isKept || first.server !== second.server) throw withoutTransactions();
    if (alone.isolation !== 'read committed') {
      throw refused(otherIsolation, 'alter the role of DATABASE_URL: set default_transaction_isolation to default');
    }
  } finally {
    await client.releaseConnection(connection);
  }
}
