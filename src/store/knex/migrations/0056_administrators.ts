/**
 * Users to whom scopes of the management API are given; what they are given at the console, by code and then by token;
 * and the proofs that they used there, which belong to no row of `clients`.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const ofUser = 'foreign key (account_id, user_id) references users (account_id, id) on delete cascade';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table administrators (account_id ${number} not null, user_id ${number} not null,
    scopes text not null, created_at ${number} not null, primary key (account_id, user_id), ${ofUser} ${end}`);
  await db.raw(`create table console_grants (account_id ${number} not null, digest text not null,
    user_id ${number} not null, sid text not null, parameters text not null, token_digest text, thumbprint text,
    authenticated_at ${number} not null, created_at ${number} not null, used_at ${number},
    expires_at ${number} not null, primary key (account_id, digest), ${ofUser} ${end}`);
  await db.raw('create unique index console_grants_token_index on console_grants (account_id, token_digest)');
  await db.raw('create index console_grants_user_index on console_grants (account_id, user_id)');
  await db.raw('create index console_grants_expires_at_index on console_grants (expires_at)');
  await db.raw(`create table console_proofs (account_id ${number} not null references accounts (id),
    digest text not null, expires_at ${number} not null, primary key (account_id, digest) ${end}`);
  await db.raw('create index console_proofs_expires_at_index on console_proofs (expires_at)');
}

export async function down(db: Knex): Promise<void> {
  for (const table of ['console_proofs', 'console_grants', 'administrators']) await db.raw(`drop table ${table}`);
}
