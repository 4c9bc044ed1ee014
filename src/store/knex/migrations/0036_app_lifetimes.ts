/** How long an app's tokens live, in minutes; null: as the account says. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const columns = ['access_token_minutes', 'refresh_token_minutes'] as const;

export async function up(db: Knex): Promise<void> {
  const number = isPostgres(db) ? 'bigint' : 'integer';
  for (const column of columns) await db.raw(`alter table clients add column ${column} ${number}`);
}

export async function down(db: Knex): Promise<void> {
  for (const column of columns) await db.raw(`alter table clients drop column ${column}`);
}
