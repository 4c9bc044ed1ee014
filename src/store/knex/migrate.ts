import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { MigrationStatus } from '../store.ts';
import type { Engine } from './engine.ts';
import { checksumsSince, migrationNames, migrationSource } from './migrations/index.ts';
import { checksums } from './schema/checksums.ts';
import { findDifferences } from './schema/compare.ts';

const tableName = 'migrations';

/** A newer release may have migrated already: `requireKnown` reports that in better words than Knex. */
const config: Knex.MigratorConfig = { migrationSource, tableName, disableMigrationsListValidation: true };

/** Reads only: a missing table is not created. */
export async function readStatus(db: Knex): Promise<MigrationStatus> {
  const applied: string[] = (await db.schema.hasTable(tableName))
    ? await db(tableName).orderBy('id').pluck('name')
    : [];
  return { applied, pending: migrationNames.filter((name) => !applied.includes(name)) };
}

/**
 * Throws `unavailable` when a newer release has migrated the database, whose contents this release does not know. A
 * running process does not check this, so that releases can be rolled out one process after the other.
 */
export function requireKnown({ applied }: MigrationStatus): void {
  const unknown = applied.filter((name) => !migrationNames.includes(name));
  if (unknown.length === 0) return;
  const message = `a newer release has migrated this database (${unknown.join(', ')}): start that release, or restore the backup taken before`;
  throw new Failure('unavailable', { name: 'migrations', message });
}

/**
 * The schema faults to fix before the service can use the database, one per line; none while migrations are pending.
 */
export async function findSchemaFaults({ kind, describeSchema }: Engine, db: Knex): Promise<string[]> {
  const { applied, pending } = await readStatus(db);
  const changed = applied.includes(checksumsSince) ? await findChanged(kind, db) : [];
  if (pending.length > 0) return changed;
  return [...changed, ...findDifferences(kind, await describeSchema(db))];
}

/** Applied migrations that differ from those of this release. */
async function findChanged(kind: Engine['kind'], db: Knex): Promise<string[]> {
  const current = await checksums(kind);
  const rows: { name: string; checksum: string | null }[] = await db(tableName)
    .select('name', 'checksum')
    .orderBy('id');
  return rows
    .filter(({ name, checksum }) => checksum !== null && current.has(name) && current.get(name) !== checksum)
    .map(({ name }) => `migration ${name} was changed after it was applied`);
}

const mostFaults = 3;

async function requireOwnSchema(engine: Engine, tx: Knex): Promise<void> {
  const faults = await findSchemaFaults(engine, tx);
  if (faults.length === 0) return;
  const more = faults.length > mostFaults ? `; and ${faults.length - mostFaults} more` : '';
  const message = `the schema does not match this release: ${faults.slice(0, mostFaults).join('; ')}${more}: docs/operations.md, "Migrations"`;
  throw new Failure('unavailable', { name: 'schema', message });
}

/** Migrations that were applied before there were checksums get theirs once the schema is known to be right. */
async function keepChecksums({ kind }: Engine, tx: Knex): Promise<void> {
  const without: string[] = await tx(tableName).whereNull('checksum').pluck('name');
  if (without.length === 0) return;
  const current = await checksums(kind);
  const each = without.map(() => 'when ? then ?').join(' ');
  const values = without.flatMap((name) => [name, current.get(name) ?? null]);
  await tx(tableName)
    .whereNull('checksum')
    .update('checksum', tx.raw(`case name ${each} end`, values));
}

/** Applies all pending migrations without checking the result. */
export async function applyPending(tx: Knex): Promise<void> {
  await tx.migrate.latest(config);
}

/** Migrations write past what depends on their tables: processes read again what they keep in memory. */
async function raiseGenerations(tx: Knex): Promise<void> {
  if (await tx.schema.hasColumn('accounts', 'generation')) await tx('accounts').increment('generation', 1);
}

/** Applies all pending migrations in one transaction. Throws `unavailable` if the resulting schema is wrong. */
export function migrate(engine: Engine): Promise<MigrationStatus> {
  return engine.exclusively(async (tx) => {
    const before = await readStatus(tx);
    requireKnown(before);
    await applyPending(tx);
    if (before.pending.length > 0) await raiseGenerations(tx);
    await requireOwnSchema(engine, tx);
    await keepChecksums(engine, tx);
    await engine.describeNewTables(tx);
    return readStatus(tx);
  });
}

export function rollback({ exclusively }: Engine, steps: number): Promise<MigrationStatus> {
  return exclusively(async (tx) => {
    for (let step = 0; step < steps; step += 1) await tx.migrate.down(config);
    await raiseGenerations(tx);
    return readStatus(tx);
  });
}
