/**
 * What the deprecated surfaces keep: when what is counted by day was done last, which tells who still calls them, and
 * the links with which users choose a password, one for each user.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`alter table daily_counts add column last_at ${number}`);
  await db.raw(`create table invite_links (account_id ${number} not null, user_id ${number} not null,
    digest text not null, created_at ${number} not null, expires_at ${number} not null, used_at ${number},
    primary key (account_id, user_id), constraint invite_links_digest_unique unique (account_id, digest),
    foreign key (account_id, user_id) references users (account_id, id) on delete cascade ${end}`);
  await db.raw('create index invite_links_expires_at_index on invite_links (expires_at)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table invite_links');
  await db.raw('alter table daily_counts drop column last_at');
}
