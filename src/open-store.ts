/**
 * How a server and the commands that work on accounts open the database: never an empty one in place of one that is
 * gone.
 */

import { existsSync } from 'node:fs';
import { createKeyFile } from './adapters/key-file.ts';
import type { Config } from './config.ts';
import type { DatabaseConfig } from './config-database.ts';
import { Failure } from './domain/failure.ts';
import { createReadTurns } from './domain/read-turns.ts';
import type { Log } from './services.ts';
import { unfinishedCopy } from './store/copying.ts';
import { sqliteFileOf } from './store/database-url.ts';
import { doubtConnections, openStore } from './store/knex/index.ts';
import type { Store } from './store/store.ts';

interface OpenOptions {
  /** Where warnings of the database layer go. */
  readonly log?: (line: string) => void;
  /** Make a database file that is not there although the master key is: what it held can be made again. */
  readonly remake?: boolean;
}

/** How the database that `DATABASE_URL` names is used, and any other one. */
export function waysOf({ databaseWaitMilliseconds, databasePooling }: DatabaseConfig) {
  return { acquireTimeoutMilliseconds: databaseWaitMilliseconds, pooling: databasePooling };
}

/**
 * Opens the configured store; a database file is made when there is no master key either. Throws `unavailable` when
 * the key is there and the database is not, or holds nothing, and for a copy that is not finished.
 */
export async function openConfiguredStore(config: Config, { log, remake }: OpenOptions = {}): Promise<Store> {
  // Read before the database, so that what another process makes at the same time is seen in the order it is made.
  const used = createKeyFile(config.masterKeyFile).read() !== null;
  const makes = !used || (remake === true && !isThere(config.databaseUrl));
  if (used && makes) log?.('the database file was missing although the master key exists: creating a new one');
  const store = await openStore({
    url: config.databaseUrl,
    ...waysOf(config),
    create: makes,
    readTurns: createReadTurns,
    ...(log && { log }),
  });
  try {
    await requireWhole(store, makes, config);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function isThere(databaseUrl: string): boolean {
  const file = sqliteFileOf(databaseUrl);
  return file === null || existsSync(file);
}

/** What is there must be what was left there: neither an empty database nor a copy that lacks rows. */
async function requireWhole(store: Store, makes: boolean, { databaseUrl, masterKeyFile }: Config): Promise<void> {
  const isEmpty = (await store.status()).applied.length === 0;
  if (!isEmpty && (await store.facts.read(unfinishedCopy)) !== null) {
    const message = 'the database is an unfinished copy: run gatehouse db copy again, which continues it';
    throw new Failure('unavailable', { name: 'store', message });
  }
  if (!isEmpty || makes) return;
  const name = sqliteFileOf(databaseUrl) ?? 'the database';
  const message = `${name} is empty although there is a master key (${masterKeyFile}): restore it from your backup, or correct DATABASE_URL; to start with an empty database, run: gatehouse db migrate`;
  throw new Failure('unavailable', { name: 'store', message });
}

/** Said by the first of several processes. A database that does not answer is told by what needs it. */
export async function warnOfConnections(
  { databaseUrl, databasePooling }: Pick<Config, 'databaseUrl' | 'databasePooling'>,
  processes: number,
  log: Log,
): Promise<void> {
  const doubt = doubtConnections(databaseUrl, databasePooling, processes);
  const reason = await doubt.catch(() => null);
  if (reason !== null) log.warn('settings', { reason });
}
