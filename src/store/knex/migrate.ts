import type { Knex } from 'knex';
import type { MigrationStatus } from '../store.ts';
import type { Engine } from './engine.ts';
import { migrationNames, migrationSource } from './migrations/index.ts';

const tableName = 'migrations';

/** A newer release may have migrated already: its migrations are not known here and are no mistake. */
const config: Knex.MigratorConfig = { migrationSource, tableName, disableMigrationsListValidation: true };

/** Reads only: a table that is not there yet is not made. */
export async function readStatus(db: Knex): Promise<MigrationStatus> {
  const applied: string[] = (await db.schema.hasTable(tableName))
    ? await db(tableName).orderBy('id').pluck('name')
    : [];
  return { applied, pending: migrationNames.filter((name) => !applied.includes(name)) };
}

/** All pending migrations in one transaction: all of them or none. */
export function migrate({ exclusively }: Engine): Promise<MigrationStatus> {
  return exclusively(async (tx) => {
    await tx.migrate.latest(config);
    return readStatus(tx);
  });
}

export function rollback({ exclusively }: Engine, steps: number): Promise<MigrationStatus> {
  return exclusively(async (tx) => {
    for (let step = 0; step < steps; step += 1) await tx.migrate.down(config);
    return readStatus(tx);
  });
}
