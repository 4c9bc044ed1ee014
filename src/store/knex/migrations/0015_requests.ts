/**
 * Authorization requests that clients send ahead (RFC 9126), and claims that userinfo gives beyond a grant's scope: in a
 * table of their own, since an exchange reads none of it.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const ofClient = 'foreign key (account_id, app_id) references clients (account_id, app_id) on delete cascade';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table grant_claims (account_id ${number} not null, grant_id ${number} not null,
    claims text not null, primary key (account_id, grant_id),
    foreign key (account_id, grant_id) references grants (account_id, id) on delete cascade ${end}`);
  await db.raw(`create table pushed_requests (account_id ${number} not null, digest text not null,
    app_id ${number} not null, parameters text not null, expires_at ${number} not null,
    primary key (account_id, digest), ${ofClient} ${end}`);
  await db.raw('create index pushed_requests_expires_at_index on pushed_requests (expires_at)');
  await db.raw('create index pushed_requests_account_id_app_id_index on pushed_requests (account_id, app_id)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table pushed_requests');
  await db.raw('drop table grant_claims');
}
