/** Stores for tests: both databases, fresh and migrated. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReadTurns } from '../../src/domain/read-turns.ts';
import { openStore } from '../../src/store/knex/index.ts';
import type { Store } from '../../src/store/store.ts';
import { noteActions } from './actions.ts';
import { fastFolder } from './fast-folder.ts';
import { type EmptyDatabases, watchPlans } from './plans.ts';
import { ensureTemplate, freshDatabase, urlOf } from './postgres.ts';
import { wayTo } from './way.ts';

const allDatabases = ['sqlite', 'postgres'] as const satisfies readonly Store['kind'][];

export type DatabaseKind = (typeof allDatabases)[number];

/** The variable that has tests of both databases use SQLite alone, when it is `sqlite`: those of a fast run. */
export const databasesVariable = 'GATEHOUSE_TEST_DATABASES';

export const databases: readonly DatabaseKind[] =
  process.env[databasesVariable] === 'sqlite' ? ['sqlite'] : allDatabases;

/**
 * The variable that names an SQLite file to the tests, migrated by `scripts/test.ts` once for all test files; a test
 * file that is run alone migrates its own.
 */
export const migratedVariable = 'GATEHOUSE_TEST_SQLITE';

/** A new empty database. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export interface TestStore {
  readonly store: Store;
  readonly url: string;
  /** Closes the store and removes the database; other stores on it must be closed before. */
  dispose(): Promise<void>;
}

/** On a busy machine a hundred waiting calls take longer than the service would let anyone wait. */
const patienceMilliseconds = 60_000;

/** `parent` is the folder that an SQLite database is made in. */
export async function emptyDatabase(kind: DatabaseKind, parent: string = tmpdir()): Promise<TestDatabase> {
  if (kind === 'postgres') return freshDatabase();
  const folder = mkdtempSync(join(parent, 'gatehouse-store-'));
  return {
    url: `sqlite:${join(folder, 'gatehouse.db')}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One more store on a database, as another process would open it. */
export function openPatientStore(url: string): Promise<Store> {
  return openStore({ ...wayTo(url), acquireTimeoutMilliseconds: patienceMilliseconds, readTurns: createReadTurns });
}

/** Directly: a database that a pooler keeps connections to could not be copied. */
async function migrate(url: string): Promise<void> {
  const store = await openStore({ url, acquireTimeoutMilliseconds: patienceMilliseconds });
  await store.migrate();
  await store.close();
}

/** Migrates an SQLite database in the folder; answers its file, which holds all of it. */
export async function migratedFile(folder: string): Promise<string> {
  const file = join(folder, 'migrated.db');
  await migrate(`sqlite:${file}`);
  if (existsSync(`${file}-wal`)) throw new Error(`${file} lacks what is in its log`);
  return file;
}

async function readMigrated(): Promise<Buffer> {
  const given = process.env[migratedVariable];
  if (given !== undefined) return readFileSync(given);
  const folder = mkdtempSync(join(fastFolder(), 'gatehouse-migrated-'));
  try {
    return readFileSync(await migratedFile(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let migrated: Promise<Buffer> | undefined;

/** For reading plans: migrated, and used for nothing else. */
export const emptyDatabases: EmptyDatabases = {
  sqlite: () => {
    migrated ??= readMigrated();
    return migrated;
  },
  postgres: async () => {
    await ensureTemplate('plans', migrate);
    return urlOf('plans');
  },
};

watchPlans(emptyDatabases);

/** A database is copied in a tenth of the time that the migrations take. */
async function migratedDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  if (kind === 'postgres') return migratedOnPostgres();
  const database = await emptyDatabase(kind, fastFolder());
  await writeMigrated(database.url.slice('sqlite:'.length));
  return database;
}

/** The same of PostgreSQL. */
export async function migratedOnPostgres(): Promise<TestDatabase> {
  await ensureTemplate('migrated', migrate);
  return freshDatabase('migrated');
}

/** Makes the file a migrated SQLite database. */
export async function writeMigrated(file: string): Promise<void> {
  writeFileSync(file, await emptyDatabases.sqlite(), { mode: 0o600 });
}

/** A migrated store on a new database. */
export async function openTestStore(kind: DatabaseKind): Promise<TestStore> {
  const { url, drop } = await migratedDatabase(kind);
  const store = await openPatientStore(url);
  return {
    store,
    url,
    dispose: async () => {
      await store.close();
      await noteActions(url);
      await drop();
    },
  };
}
