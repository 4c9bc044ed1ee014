import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import createKnex, { type Knex } from 'knex';
import { minute } from '../../../domain/durations.ts';
import { Failure } from '../../../domain/failure.ts';
import { speaking } from '../dialect.ts';
import { type Engine, type EngineOptions, readWait } from '../engine.ts';
import { isBusy } from '../errors.ts';
import { inNewTransaction } from '../transact.ts';
import { backup } from './backup.ts';
import { appendEvents } from './chain.ts';
import { onConnection, SqliteClient, withOneCommit } from './client.ts';
import { consumeAll } from './consume.ts';
import { copyEndOf } from './copying.ts';
import { sqliteDialect } from './dialect.ts';
import { append, findAccessTokens, findCredentialTokens, findGrantClaims } from './hot.ts';
import { purge } from './purge.ts';
import { mostThreads, openReading, renewReading } from './reading.ts';
import { describeSchema } from './schema.ts';
import { sharingCommits } from './shared-commits.ts';
import {
  describeIndex,
  describeNewTables,
  describeSmall,
  indexesDue,
  reloadStatistics,
  tablesOf,
} from './statistics.ts';
import { findSearchStanding, indexSlice } from './user-search.ts';
import { findLostCommits } from './wal.ts';

/** How long a migration waits for another process that writes, and how often it checks. */
const migrationPatienceMilliseconds = minute;
const migrationPauseMilliseconds = 50;

/** Maximum number of findings about a damaged file. */
const mostFindings = 20;

/**
 * A transaction for the migrator. It begins with SQLite's write lock, which is released when a process dies. Knex's own
 * lock, a row, could block everyone for ever.
 */
async function exclusively<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + migrationPatienceMilliseconds;
  for (;;) {
    try {
      return await inNewTransaction(db, work);
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await delay(migrationPauseMilliseconds);
  }
}

/** Checks every page, index and foreign key. Blocks the event loop for seconds per gigabyte. */
async function findDamage(db: Knex): Promise<string[]> {
  const rows: { integrity_check: string }[] = await db.raw(`pragma integrity_check(${mostFindings})`);
  const found = rows.map(({ integrity_check: finding }) => finding).filter((finding) => finding !== 'ok');
  if (found.length > 0) return found;
  const orphans: { table: string; parent: string }[] = await db.raw('pragma foreign_key_check');
  return orphans.slice(0, mostFindings).map(({ table, parent }) => `a row of ${table} refers to no row of ${parent}`);
}

/** Index by index, so that nothing waits for all of them. */
async function refreshStatistics(db: Knex, reading: Knex): Promise<void> {
  let changed = false;
  for (const table of await onConnection(db, tablesOf)) {
    const wasDescribed = await withOneCommit(db, (connection) => {
      const result = describeSmall(connection, table);
      return { result, wrote: result };
    });
    changed ||= wasDescribed;
    for (const index of await onConnection(db, (connection) => indexesDue(connection, table))) {
      await nextTurn();
      await withOneCommit(db, (connection) => ({ result: describeIndex(connection, table, index), wrote: true }));
      changed = true;
    }
    await nextTurn();
  }
  if (!changed) return;
  await onConnection(db, reloadStatistics);
  renewReading(reading);
}

/**
 * Throws `unavailable` where continuing would create an empty database, use one that lost commits, or make one in a file
 * of somebody else, who could then read and change it.
 */
function requireWhole(filename: string, create: boolean): void {
  const found = statSync(filename, { throwIfNoEntry: false });
  const size = found?.size;
  if (!create && !size) {
    const state = size === undefined ? 'does not exist' : 'is empty';
    const message = `${filename} ${state}: restore it from your backup, or set DATABASE_URL to its path; to create an empty database, run: gatehouse db migrate`;
    throw new Failure('unavailable', { name: 'store', message });
  }
  if (found && size === 0 && process.geteuid && found.uid !== process.geteuid()) {
    const message = `${filename} is an empty file of another user: remove it, or name another file`;
    throw new Failure('unavailable', { name: 'store', message });
  }
  const lost = size ? findLostCommits(filename) : null;
  if (lost === null) return;
  const message = `${lost}: restore ${filename} from your backup, or move ${filename}-shm away to continue without the lost data`;
  throw new Failure('unavailable', { name: 'store', message });
}

/**
 * Opens SQLite in the file that `url` (`sqlite:<path>`) names; creates a missing folder and file, for the owner only.
 * Throws `unavailable` when the file must not be created, or lost commits.
 */
export function openSqlite(options: EngineOptions): Engine {
  const { url, log, waitMilliseconds, create = true } = options;
  const filename = url.slice('sqlite:'.length);
  requireWhole(filename, create);
  mkdirSync(dirname(resolve(filename)), { recursive: true, mode: 0o700 });
  const db = createKnex({
    client: SqliteClient,
    connection: { filename },
    useNullAsDefault: true,
    // Values of a statement must not get into an error's message.
    compileSqlOnError: false,
    log: { warn: log, error: log, deprecate: log, debug: log },
    // One connection: a second writer in the process would block the event loop and then fail.
    pool: { min: 1, max: 1, acquireTimeoutMillis: waitMilliseconds },
    ...{ patienceMilliseconds: waitMilliseconds },
    ...speaking(sqliteDialect),
  });
  const reading = openReading(filename, options);
  return {
    kind: 'sqlite',
    db,
    reading,
    readPlaces: { turns: mostThreads, waitMilliseconds: readWait(options) },
    hot: { consumeAll, append, appendEvents, findAccessTokens, findCredentialTokens, findGrantClaims },
    ...sharingCommits(db, waitMilliseconds),
    purge: (wanted) => purge(db, wanted),
    describeSchema,
    describeNewTables: (tx) =>
      onConnection(tx, (connection) => {
        if (describeNewTables(connection)) reloadStatistics(connection);
      }),
    refreshStatistics: () => refreshStatistics(db, reading),
    search: { indexUsers: (limit) => indexSlice(db, limit), findSearchStanding: () => findSearchStanding(db) },
    exclusively: (work) => exclusively(db, work),
    backup: (file) => backup(db, file),
    withCopyEnd: async (work) => work(await copyEndOf(db)),
    findDamage: () => findDamage(db),
    ping: async () => {
      await db.raw('select count(*) from sqlite_master');
    },
    close: async () => {
      // The last connection to close writes the log into the database, which a reader cannot.
      await reading.destroy();
      await db.destroy();
    },
  };
}
