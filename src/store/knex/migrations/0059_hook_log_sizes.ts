/** How much an account stores of its hooks' runs, in parts that go when the runs in them have. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  // What is there already counts for nothing: reading it all would take minutes, and it is gone in a week.
  await db.raw(`alter table hook_executions add column bytes ${number} not null default 0`);
  await db.raw(`create table hook_log_sizes (account_id ${number} not null references accounts (id),
    expires_at ${number} not null, bytes ${number} not null, primary key (account_id, expires_at) ${end}`);
  await db.raw('create index hook_log_sizes_expires_at_index on hook_log_sizes (expires_at)');
  // Each commit of runs changes a row: most changes find room beside it.
  if (isPostgres(db)) {
    await db.raw(`alter table hook_log_sizes set
      (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`);
  }
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table hook_log_sizes');
  await db.raw('alter table hook_executions drop column bytes');
}
