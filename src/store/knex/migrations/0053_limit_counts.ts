/** Counts of limits that nodes share, each until the end of its window. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  await db.raw(`create table limit_counts (account_id ${number} not null references accounts (id), digest text not null,
    taken ${number} not null, told_at ${number} not null, expires_at ${number} not null,
    primary key (account_id, digest) ${end}`);
  await db.raw('create index limit_counts_expires_at_index on limit_counts (expires_at)');
  // A row is changed several times a second while its limit is in use: most changes find room beside it.
  if (isPostgres(db)) {
    await db.raw(`alter table limit_counts set
      (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`);
  }
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table limit_counts');
}
