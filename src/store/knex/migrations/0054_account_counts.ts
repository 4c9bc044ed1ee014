/** Daily counts of a whole account, each for 90 days: so few rows that a page of them is read whole. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const keptMilliseconds = 91 * 24 * 60 * 60_000;

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  await db.raw(`create table account_counts (account_id ${number} not null references accounts (id), day text not null,
    kind text not null, count ${number} not null, expires_at ${number} not null,
    primary key (account_id, day, kind) ${end}`);
  await db.raw('create index account_counts_expires_at_index on account_counts (expires_at)');
  const start = isPostgres(db)
    ? 'cast(extract(epoch from cast(day as date)) as bigint) * 1000'
    : "cast(strftime('%s', day) as integer) * 1000";
  // What was counted by app, credential and key until now.
  await db.raw(`insert into account_counts (account_id, day, kind, count, expires_at)
    select account_id, day, of_account, sum(count), ${start} + ${keptMilliseconds}
    from (select account_id, day, count, case when kind like 'call.%' then 'deprecated_call' else kind end as of_account
      from daily_counts) as counted
    group by account_id, day, of_account`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table account_counts');
}
