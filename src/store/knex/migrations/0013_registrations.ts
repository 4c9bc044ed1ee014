/**
 * Clients that manage their own registration, the search for those that nobody uses, and the assertions with which
 * clients authenticated.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const ofClient = 'foreign key (account_id, app_id) references clients (account_id, app_id) on delete cascade';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw('alter table clients add column registration_token_digest text');
  await db.raw(`create index clients_open_sweep on clients (account_id, app_id) where registered_by = 'open'`);
  await db.raw('create index daily_counts_subject_index on daily_counts (account_id, subject_id, day)');
  await db.raw(`create table client_assertions (account_id ${number} not null, app_id ${number} not null,
    digest text not null, expires_at ${number} not null, primary key (account_id, app_id, digest), ${ofClient} ${end}`);
  await db.raw('create index client_assertions_expires_at_index on client_assertions (expires_at)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table client_assertions');
  await db.raw('drop index daily_counts_subject_index');
  await db.raw('drop index clients_open_sweep');
  await db.raw('alter table clients drop column registration_token_digest');
}
