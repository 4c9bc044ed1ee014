import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import { consumeOnSqlite } from './consume-sqlite.ts';
import type { Engine, EngineOptions } from './engine.ts';
import { isBusy } from './errors.ts';
import { findCredentialTokenOnSqlite } from './hot-callers.ts';
import { appendOnSqlite, findAccessTokenOnSqlite, generationOnSqlite } from './hot-sqlite.ts';
import { SqliteClient } from './sqlite-client.ts';

/** How long a migration waits for another process that writes, and how often it looks. */
const migrationPatienceMilliseconds = 60_000;
const migrationPauseMilliseconds = 50;

/**
 * A transaction for the migrator. It begins with SQLite's write lock, which a process that dies gives back: unlike
 * Knex's own lock, a row, it can block nobody for ever.
 */
async function exclusively<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + migrationPatienceMilliseconds;
  for (;;) {
    try {
      return await db.transaction((tx) => work(tx));
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await delay(migrationPauseMilliseconds);
  }
}

/** `VACUUM INTO` reads one snapshot, so writers go on; it does not flush what it wrote. */
async function backup(db: Knex, file: string): Promise<void> {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new Failure('conflict', { name: 'file', message: `${file} exists` }, { cause: error });
    }
    throw error;
  }
  try {
    await db.raw('vacuum into ?', [file]);
    for (const written of [file, dirname(resolve(file))]) {
      const descriptor = openSync(written, 'r');
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** SQLite in the file that `url` (`sqlite:<path>`) names; folder and file are made when missing, for the owner only. */
export function openSqlite({ url, log, waitMilliseconds }: EngineOptions): Engine {
  const filename = url.slice('sqlite:'.length);
  mkdirSync(dirname(resolve(filename)), { recursive: true, mode: 0o700 });
  const db = createKnex({
    client: SqliteClient,
    connection: { filename },
    useNullAsDefault: true,
    // Values of a statement never get into an error's message.
    compileSqlOnError: false,
    log: { warn: log, error: log, deprecate: log, debug: log },
    // One connection: a second writer in the process would block the event loop and then fail.
    pool: { min: 1, max: 1, acquireTimeoutMillis: waitMilliseconds },
    ...{ patienceMilliseconds: waitMilliseconds },
  });
  return {
    kind: 'sqlite',
    db,
    hot: {
      consume: consumeOnSqlite(waitMilliseconds),
      append: appendOnSqlite(waitMilliseconds),
      findAccessToken: findAccessTokenOnSqlite,
      findCredentialToken: findCredentialTokenOnSqlite,
    },
    generation: (accountId) => generationOnSqlite(db, accountId),
    exclusively: (work) => exclusively(db, work),
    backup: (file) => backup(db, file),
    ping: async () => {
      await db.raw('select count(*) from sqlite_master');
    },
  };
}
