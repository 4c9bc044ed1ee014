/** Stores for tests: both databases, fresh and migrated. */

import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/knex/index.ts';
import type { Store } from '../../src/store/store.ts';
import { freshDatabase } from './postgres.ts';

export const databases = ['sqlite', 'postgres'] as const satisfies readonly Store['kind'][];

export type DatabaseKind = (typeof databases)[number];

/** An empty database of its own. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export interface TestStore {
  readonly store: Store;
  readonly url: string;
  /** Closes the store and removes the database; stores opened beside it must be closed before. */
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
  return openStore({ url, acquireTimeoutMilliseconds: patienceMilliseconds });
}

/** A migrated store on a database of its own. */
export async function openTestStore(kind: DatabaseKind, parent?: string): Promise<TestStore> {
  const { url, drop } = await emptyDatabase(kind, parent);
  const store = await openPatientStore(url);
  await store.migrate();
  return {
    store,
    url,
    dispose: async () => {
      await store.close();
      await drop();
    },
  };
}

/** Where a database that no test pulls the plug of is written fastest: in memory, where a gigabyte of it can be had so. */
export function fastFolder(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
}
