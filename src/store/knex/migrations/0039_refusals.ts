/** Refusals that people saw on pages, for a day. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  await db.raw(`create table refusals (account_id ${number} not null references accounts (id), request_id text not null,
    at ${number} not null, source text not null, detail text not null, expires_at ${number} not null,
    primary key (account_id, request_id) ${end}`);
  await db.raw('create index refusals_expires_at_index on refusals (expires_at)');
  // Its rows come and go, as those of the tables in 0029.
  if (isPostgres(db)) {
    await db.raw(
      'alter table refusals set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)',
    );
  }
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table refusals');
}
