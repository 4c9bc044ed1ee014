/** Clients that manage their own registration, and the search for those that nobody uses. */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table clients add column registration_token_digest text');
  await db.raw(`create index clients_open_sweep on clients (account_id, app_id) where registered_by = 'open'`);
  await db.raw('create index daily_counts_subject_index on daily_counts (account_id, subject_id, day)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index daily_counts_subject_index');
  await db.raw('drop index clients_open_sweep');
  await db.raw('alter table clients drop column registration_token_digest');
}
