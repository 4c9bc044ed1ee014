/** The settings of the database. */

import { parseDatabase, parseDatabaseWait } from './config-values.ts';
import type { SettingName } from './settings.ts';
import { databaseUrlForm } from './store/database-url.ts';
import { type Pooling, poolings } from './store/pooling.ts';

export interface DatabaseConfig {
  readonly databaseUrl: string;
  /** How long a call waits for a connection of the database, and for a lock in it; null for the store's default. */
  readonly databaseWaitMilliseconds: number | null;
  /** What the way to PostgreSQL keeps for a client. */
  readonly databasePooling: Pooling;
}

/** Reads a setting; `must` completes the sentence "… must be …" about a value that `parse` does not know. */
export type ReadSetting = <Value>(
  name: SettingName,
  fallback: Value,
  parse: (text: string) => Value | undefined,
  must: string,
) => Value;

function parsePooling(text: string): Pooling | undefined {
  return poolings.find((pooling) => pooling === text);
}

export function readDatabase(read: ReadSetting): DatabaseConfig {
  const wait = 'whole milliseconds from 100 to 60000';
  return {
    databaseUrl: read('DATABASE_URL', 'sqlite:data/gatehouse.db', parseDatabase, databaseUrlForm),
    databaseWaitMilliseconds: read<number | null>('DATABASE_WAIT_MILLISECONDS', null, parseDatabaseWait, wait),
    databasePooling: read<Pooling>('DATABASE_POOLING', 'session', parsePooling, poolings.join(' or ')),
  };
}
