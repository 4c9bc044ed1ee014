/**
 * How many messages about changes went to an address and, from an account, to strangers: as the time from which all of
 * its allowance is free again; whom a waiting message is for; and since when a user has had the address.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table notice_paces (account_id ${number} not null references accounts (id) on delete cascade,
    digest text not null, expires_at ${number} not null, primary key (account_id, digest) ${end}`);
  await db.raw('create index notice_paces_expires_at_index on notice_paces (expires_at)');
  // What waits already, and what the release before adds, goes as it would have.
  await db.raw("alter table change_notices add column standing text not null default 'proven'");
  await db.raw(`alter table change_notices add column allowed_at ${number}`);
  await db.raw(`alter table users add column email_written_at ${number}`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table users drop column email_written_at');
  await db.raw('alter table change_notices drop column allowed_at');
  await db.raw('alter table change_notices drop column standing');
  await db.raw('drop table notice_paces');
}
