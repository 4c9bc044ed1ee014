/** Who wrote a version of a hook, and how often a draft beside it differed from what ran. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  await db.raw('alter table hook_versions add column author_type text');
  await db.raw(`alter table hook_versions add column author_id ${number}`);
  await db.raw(`alter table hooks add column shadow_set_at ${number}`);
  await db.raw('update hooks set shadow_set_at = updated_at where shadow_function is not null');
  await db.raw('alter table hook_executions add column shadow text');
  // Few runs have one.
  await db.raw(`create index hook_executions_shadow_index on hook_executions (account_id, hook_id, created_at, id)
    where shadow is not null`);
  // Not in the row of the hook: that one is kept in memory everywhere.
  await db.raw(`create table hook_draft_counts (account_id ${number} not null references accounts (id),
    hook_id ${number} not null, set_at ${number} not null, same ${number} not null, different ${number} not null,
    primary key (account_id, hook_id),
    foreign key (account_id, hook_id) references hooks (account_id, id) on delete cascade ${end}`);
  await db.raw(`insert into hook_draft_counts (account_id, hook_id, set_at, same, different)
    select account_id, id, shadow_set_at, 0, 0 from hooks where shadow_set_at is not null`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table hook_draft_counts');
  await db.raw('drop index hook_executions_shadow_index');
  await db.raw('alter table hook_executions drop column shadow');
  await db.raw('alter table hooks drop column shadow_set_at');
  await db.raw('alter table hook_versions drop column author_id');
  await db.raw('alter table hook_versions drop column author_type');
}
