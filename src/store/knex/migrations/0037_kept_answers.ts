/** Requests that their callers made repeatable, with their sealed answers, for a day. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table kept_answers (account_id ${number} not null references accounts (id),
    digest text not null, caller text not null, request_digest text not null, claim text not null,
    claimed_until ${number} not null, is_done integer not null, sealed_answer text,
    created_at ${number} not null, expires_at ${number} not null, primary key (account_id, digest) ${end}`);
  await db.raw('create index kept_answers_expires_at_index on kept_answers (expires_at)');
  await db.raw('create index kept_answers_caller_index on kept_answers (account_id, caller, created_at)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table kept_answers');
}
