/** Requests that their callers made repeatable, with their sealed answers, for a day. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

/** An answer may have many kilobytes, which SQLite keeps better in a table with row ids. */
export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  await db.raw(`create table kept_answers (account_id ${number} not null references accounts (id),
    digest text not null, caller text not null, request_digest text not null, claim text not null,
    claimed_until ${number} not null, is_done integer not null, sealed_answer text,
    created_at ${number} not null, expires_at ${number} not null, primary key (account_id, digest) ${end}`);
  await db.raw('create index kept_answers_expires_at_index on kept_answers (expires_at)');
  await db.raw('create index kept_answers_caller_index on kept_answers (account_id, caller, created_at)');
  // Its rows come and go, as those of the tables in 0029.
  if (isPostgres(db)) {
    await db.raw(
      'alter table kept_answers set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)',
    );
  }
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table kept_answers');
}
