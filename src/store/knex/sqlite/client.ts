import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import { Failure } from '../../../domain/failure.ts';
import { isBusy } from '../errors.ts';
import { type Runner, raising } from '../raising.ts';
import type { Statement } from '../written.ts';
import { preparerOf } from './statements.ts';

/** How long SQLite itself waits for another process; this blocks the event loop. */
const openingPatienceMilliseconds = 2000;

const proved = new WeakSet<Sqlite.Database>();

/**
 * Asserts that a commit waits for the disk, until a connection has proved it by a write. In WAL mode better-sqlite3
 * silently falls back to `synchronous=NORMAL` at the first write, unless FULL was set by name.
 */
function assertDurable(connection: Sqlite.Database, wrote: boolean): void {
  if (proved.has(connection)) return;
  const synchronous = connection.pragma('synchronous', { simple: true });
  const journal = connection.pragma('journal_mode', { simple: true });
  if (synchronous !== 2 || journal !== 'wal') {
    throw new Failure('internal', { reason: `SQLite runs with synchronous=${synchronous}, journal_mode=${journal}` });
  }
  if (wrote) proved.add(connection);
}

/** From `since` to `seen`, another process was writing each time that a connection tried to. */
const busy = new WeakMap<Sqlite.Database, { readonly since: number; readonly seen: number }>();

/** How long the client waits for another process that writes. */
function patienceOf({ config }: Pick<Knex.Client, 'config'>): number {
  return (config as { patienceMilliseconds: number }).patienceMilliseconds; // What `openSqlite` gives it.
}

/**
 * Retries while another process writes, without blocking the event loop. Inside a transaction nothing is retried: it
 * began with the write lock. If a lock outlasts this time for one caller, the next one tries only once: waiting
 * occupies the only connection, and reads have to continue.
 */
async function patiently<Result>(
  connection: Sqlite.Database,
  patienceMilliseconds: number,
  attempt: () => Result | Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || connection.inTransaction) throw error;
      const now = performance.now();
      const before = busy.get(connection);
      const since = before && now - before.seen < patienceMilliseconds ? before.since : now;
      busy.set(connection, { since, seen: now });
      if (now > since + patienceMilliseconds) throw error;
    }
    await delay(1 + Math.random() * 9);
  }
}

/**
 * The connection, unless a transaction is open on it. A statement that runs to its end synchronously disturbs nobody,
 * even while someone holds the connection between two statements. Asking the pool would cost several times as much as a
 * read by key.
 */
function idleConnection(db: Knex): Sqlite.Database | null {
  const { connection } = db.client as SqliteClient;
  return connection?.open && !connection.inTransaction ? connection : null;
}

async function onPooled<Result>(
  db: Knex,
  work: (connection: Sqlite.Database) => Result | Promise<Result>,
): Promise<Result> {
  const client = db.client as Knex.Client; // The client of a transaction answers the transaction's connection.
  const connection: Sqlite.Database = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

/** Lends the connection of `db` to `work`, once no other transaction is open on it. */
export async function onConnection<Result>(db: Knex, work: (connection: Sqlite.Database) => Result): Promise<Result> {
  const idle = idleConnection(db);
  return idle ? work(idle) : onPooled(db, work);
}

interface Frame {
  readonly begin: Sqlite.Statement;
  readonly commit: Sqlite.Statement;
}

const frames = new WeakMap<Sqlite.Database, Frame>();

function frameOf(connection: Sqlite.Database): Frame {
  const known = frames.get(connection);
  if (known) return known;
  const frame = { begin: connection.prepare('begin immediate'), commit: connection.prepare('commit') };
  frames.set(connection, frame);
  return frame;
}

/** Whether a transaction was begun; false when another process writes. */
function begins(connection: Sqlite.Database): boolean {
  try {
    frameOf(connection).begin.run();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

type Work<Result> = (connection: Sqlite.Database) => { readonly result: Result; readonly wrote: boolean };

/** Ends the transaction without yielding to the event loop. */
function commitAfter<Result>(connection: Sqlite.Database, work: Work<Result>): Result {
  busy.delete(connection);
  try {
    const { result, wrote } = work(connection);
    frameOf(connection).commit.run();
    assertDurable(connection, wrote);
    return result;
  } catch (error) {
    // SQLite ends a transaction by itself on some errors (disk full).
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/** Runs prepared statements without yielding between `begin immediate` and `commit`, or in the transaction `db`. */
export async function withOneCommit<Result>(db: Knex, work: Work<Result>): Promise<Result> {
  if (db.isTransaction) return onPooled(db, (connection) => work(connection).result);
  const idle = idleConnection(db);
  if (idle && begins(idle)) return commitAfter(idle, work);
  return onPooled(db, async (connection) => {
    await patiently(connection, patienceOf(db.client), () => frameOf(connection).begin.run());
    return commitAfter(connection, work);
  });
}

function configure(connection: Sqlite.Database): void {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  // The writer that commits the last of this many pages (16 MB) moves all of them into the database, and others wait
  // for it.
  connection.pragma('wal_autocheckpoint = 4000');
  // From here on `patiently` waits instead.
  connection.pragma('busy_timeout = 0');
}

/** Knex's client for SQLite: durable commits, transactions that begin with the write lock, waits that do not block. */
export class SqliteClient extends BetterSqlite3Client {
  /** The only connection at a time; null before its first use. */
  connection: Sqlite.Database | null = null;

  override async acquireRawConnection(): Promise<Sqlite.Database> {
    const { filename } = this.connectionSettings as { filename: string }; // What `openSqlite` gives it.
    // SQLite gives the files beside it (-wal, -shm) the mode of the database itself.
    closeSync(openSync(filename, 'a', 0o600));
    const connection = new Sqlite(filename, { timeout: openingPatienceMilliseconds });
    try {
      configure(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    this.connection = connection;
    return connection;
  }

  /** Each write is followed by what depends on it. */
  override runner(statement: Statement): Runner {
    return raising(this, statement, super.runner(statement));
  }

  /** A commit that failed (disk full) can leave its transaction open; the next borrower must not inherit it. */
  override async validateConnection(connection: Sqlite.Database): Promise<boolean> {
    if (connection.open && connection.inTransaction) connection.exec('rollback');
    return connection.open;
  }

  override async _query<Query extends { sql: string }>(connection: Sqlite.Database, query: Query): Promise<Query> {
    // A transaction that reads first and writes later fails when another process wrote in between.
    if (query.sql === 'BEGIN;') query.sql = 'BEGIN IMMEDIATE;';
    // On some errors (disk full) SQLite has rolled back by itself; asked again it would hide the error behind another.
    if (/^ROLLBACK\b/.test(query.sql) && !connection.inTransaction) query.sql = 'select 1';
    const answered = await patiently(connection, patienceOf(this), () => super._query(preparerOf(connection), query));
    // Only a writer knows that no other process is writing.
    if (!/^select/i.test(query.sql)) busy.delete(connection);
    if (!connection.inTransaction) assertDurable(connection, /^(insert|update|delete)/i.test(query.sql));
    return answered;
  }
}
