import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Store } from '../../store.ts';
import { speaking } from '../dialect.ts';
import { migrations } from '../migrations/index.ts';
import { postgresDialect } from '../postgres/dialect.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';

const known: Partial<Record<Store['kind'], Promise<ReadonlyMap<string, string>>>> = {};

/** The checksum of each migration by its name. A start that migrates needs them twice. */
export function checksums(kind: Store['kind']): Promise<ReadonlyMap<string, string>> {
  known[kind] ??= computeChecksums(kind);
  return known[kind];
}

async function computeChecksums(kind: Store['kind']): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { name, up } of migrations) found.set(name, await checksumOf(kind, up));
  return found;
}

/**
 * A digest of the statements that a migration sends to an empty database: the format and comments of its source make no
 * difference.
 */
export async function checksumOf(kind: Store['kind'], up: Knex.Migration['up']): Promise<string> {
  const hash = createHash('sha256');
  await up(recorder(kind, (statement) => hash.update(`${statement}\n`)));
  return hash.digest('hex');
}

/** Stands in for a database: it records statements, which are all that migrations send, and has no rows. */
function recorder(kind: Store['kind'], take: (statement: string) => void): Knex {
  const raw = async (sql: string, values: unknown = []) => {
    take(`${sql.replaceAll(/\s+/g, ' ').trim()} ${JSON.stringify(values)}`);
    return Object.assign([], { rows: [] });
  };
  const client =
    kind === 'postgres'
      ? { driverName: 'pg', config: speaking(postgresDialect) }
      : { driverName: 'better-sqlite3', config: speaking(sqliteDialect) };
  return { raw, client } as unknown as Knex; // Migrations use nothing else, which a test checks.
}
