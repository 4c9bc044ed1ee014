/**
 * Reads SQLite in threads. A statement blocks the thread that sends it until it has its rows; on the event loop,
 * nothing else would be served meanwhile. A thread is started when it is first needed (50 ms), and ends after 30 s
 * without use.
 */

import { Worker } from 'node:worker_threads';
import createKnex, { type Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import { speaking } from '../dialect.ts';
import { type EngineOptions, readWait } from '../engine.ts';
import type { DbRow } from '../shape.ts';
import { sqliteDialect } from './dialect.ts';
import { plannedOnce } from './statements.ts';

/** More than one, so that one account with a long read does not keep all others waiting. */
export const mostThreads = 2;

interface Answer {
  readonly columns?: readonly string[];
  /** The values of each row, in the order of the columns. */
  readonly rows?: readonly (readonly unknown[])[];
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
}

/** A connection in a thread of its own. It gets one statement at a time. */
export interface ReadingThread {
  readonly isAlive: () => boolean;
  /** Rejects as the driver would, and with `SQLITE_INTERRUPT` when the thread ended or the statement took too long. */
  readonly all: (sql: string, bindings: readonly unknown[]) => Promise<readonly DbRow[]>;
  /** Settles when the thread is gone, which is not before its statement has ended: nothing can interrupt that. */
  readonly end: () => Promise<unknown>;
}

interface Settings {
  readonly filename: string;
  /** How long SQLite waits for a lock; readers rarely meet one. */
  readonly patienceMilliseconds: number;
  /** How long a statement may take. */
  readonly longestMilliseconds: number;
}

function driverError({ name, message, code }: NonNullable<Answer['error']>): Error {
  return Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });
}

/** Half as slow as building it from entries. */
function rowOf(columns: readonly string[], values: readonly unknown[]): DbRow {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
  return row;
}

const interrupted = { name: 'SqliteError', code: 'SQLITE_INTERRUPT' };

export function startThread({ longestMilliseconds, ...workerData }: Settings): ReadingThread {
  // Flags of the process are for its own sources.
  const worker = new Worker(new URL('reading-thread.js', import.meta.url), { execArgv: [], workerData });
  let waiting: PromiseWithResolvers<Answer> | null = null;
  let alive = true;
  const lose = (message: string): void => {
    alive = false;
    waiting?.resolve({ error: { ...interrupted, message } });
  };
  worker.on('message', (answer: Answer) => waiting?.resolve(answer));
  worker.on('error', ({ message }) => lose(message));
  worker.on('exit', () => lose('the thread ended'));
  // It does not keep the process alive, unless someone waits for it.
  worker.unref();
  const end = () => {
    lose('the thread was ended');
    return worker.terminate();
  };
  return {
    isAlive: () => alive,
    all: async (sql, bindings) => {
      if (!alive) throw driverError({ ...interrupted, message: 'the thread ended' });
      waiting = Promise.withResolvers();
      worker.ref();
      const timer = setTimeout(() => {
        lose(`the statement took longer than ${longestMilliseconds} ms`);
        void end();
      }, longestMilliseconds);
      worker.postMessage({ sql, bindings });
      const { columns = [], rows = [], error } = await waiting.promise;
      clearTimeout(timer);
      waiting = null;
      worker.unref();
      if (error) throw driverError(error);
      return rows.map((values) => rowOf(columns, values));
    },
    end,
  };
}

/** Knex's client for such threads. */
class SqliteReadingClient extends BetterSqlite3Client {
  private ending: Promise<unknown> = Promise.resolve();
  /** Connections of earlier editions do not know the newest statistics. */
  private edition = 0;
  private readonly editions = new WeakMap<ReadingThread, number>();

  override async acquireRawConnection(): Promise<ReadingThread> {
    // Threads whose statements took too long must not accumulate.
    await this.ending;
    const thread = startThread(this.connectionSettings as Settings); // What `openReading` gives it.
    this.editions.set(thread, this.edition);
    return thread;
  }

  override async destroyRawConnection(thread: ReadingThread): Promise<void> {
    const ended = thread.end();
    this.ending = Promise.all([this.ending, ended]);
    await ended;
  }

  override async validateConnection(thread: ReadingThread): Promise<boolean> {
    return thread.isAlive() && this.editions.get(thread) === this.edition;
  }

  override async _query<Query extends { sql: string; bindings?: readonly unknown[]; response?: unknown }>(
    thread: ReadingThread,
    query: Query,
  ): Promise<Query> {
    query.response = await thread.all(plannedOnce(query.sql), this._formatBindings(query.bindings));
    return query;
  }

  /** Replaces each thread before its next statement. */
  renew(): void {
    this.edition += 1;
  }
}

export function openReading(filename: string, options: EngineOptions): Knex {
  const { log, waitMilliseconds } = options;
  const settings: Settings = {
    filename,
    patienceMilliseconds: waitMilliseconds,
    longestMilliseconds: readWait(options),
  };
  return createKnex({
    client: SqliteReadingClient,
    connection: { ...settings },
    useNullAsDefault: true,
    // Values of a statement must not get into an error's message.
    compileSqlOnError: false,
    log: { warn: log, error: log, deprecate: log, debug: log },
    pool: { min: 0, max: mostThreads, acquireTimeoutMillis: readWait(options) },
    ...speaking(sqliteDialect),
  });
}

/** Makes the connections of `openReading` use the stored statistics. */
export function renewReading(reading: Knex): void {
  (reading.client as SqliteReadingClient).renew();
}
