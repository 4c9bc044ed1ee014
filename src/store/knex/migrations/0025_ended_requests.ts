/** Authorization requests that have ended, until they would have expired: a request that is sealed into its identifier has no row. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table ended_requests (account_id ${number} not null references accounts (id),
    digest text not null, expires_at ${number} not null, primary key (account_id, digest) ${end}`);
  await db.raw('create index ended_requests_expires_at_index on ended_requests (expires_at)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table ended_requests');
}
