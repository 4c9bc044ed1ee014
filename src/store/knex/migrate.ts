import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { MigrationStatus } from '../store.ts';
import type { Engine } from './engine.ts';
import { migrationNames, migrationSource } from './migrations/index.ts';

const tableName = 'migrations';

/** A newer release may have migrated already: `requireKnown` says so in better words than Knex. */
const config: Knex.MigratorConfig = { migrationSource, tableName, disableMigrationsListValidation: true };

/** Reads only: a table that is not there yet is not made. */
export async function readStatus(db: Knex): Promise<MigrationStatus> {
  const applied: string[] = (await db.schema.hasTable(tableName))
    ? await db(tableName).orderBy('id').pluck('name')
    : [];
  return { applied, pending: migrationNames.filter((name) => !applied.includes(name)) };
}

/**
 * Throws `unavailable` when a newer release has migrated the database: what it holds now, this one does not know. A
 * process that runs already does not ask, so that releases can be rolled out one process after the other.
 */
export function requireKnown({ applied }: MigrationStatus): void {
  const unknown = applied.filter((name) => !migrationNames.includes(name));
  if (unknown.length === 0) return;
  const message = `a newer release has migrated this database (${unknown.join(', ')}): start that release, or restore the backup taken before`;
  throw new Failure('unavailable', { name: 'migrations', message });
}

/** All pending migrations in one transaction: all of them or none. */
export function migrate({ exclusively, describeNewTables }: Engine): Promise<MigrationStatus> {
  return exclusively(async (tx) => {
    requireKnown(await readStatus(tx));
    await tx.migrate.latest(config);
    await describeNewTables(tx);
    return readStatus(tx);
  });
}

export function rollback({ exclusively }: Engine, steps: number): Promise<MigrationStatus> {
  return exclusively(async (tx) => {
    for (let step = 0; step < steps; step += 1) await tx.migrate.down(config);
    return readStatus(tx);
  });
}
