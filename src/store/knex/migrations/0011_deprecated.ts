/** When what is counted by day was done last: who still calls the deprecated surfaces. */

import type { Knex } from 'knex';
import { isPostgres } from '../list-index.ts';

export async function up(db: Knex): Promise<void> {
  await db.raw(`alter table daily_counts add column last_at ${isPostgres(db) ? 'bigint' : 'integer'}`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table daily_counts drop column last_at');
}
