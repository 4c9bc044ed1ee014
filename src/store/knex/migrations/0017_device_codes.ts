/** What devices wait for: that a user allows them in a browser elsewhere (RFC 8628). */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const ofClient = 'foreign key (account_id, app_id) references clients (account_id, app_id) on delete cascade';
const ofUser = 'foreign key (account_id, user_id) references users (account_id, id) on delete cascade';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict'];
  await db.raw(`create table device_codes (account_id ${number} not null, digest text not null,
    user_code_digest text not null, app_id ${number} not null, scope text not null, server_id ${number},
    interval_seconds integer not null, next_poll_at ${number} not null, decision text, user_id ${number}, amr text,
    authenticated_at ${number}, created_at ${number} not null, expires_at ${number} not null,
    constraint device_codes_digest_unique primary key (account_id, digest),
    constraint device_codes_user_code_digest_unique unique (account_id, user_code_digest), ${ofClient}, ${ofUser} ${end}`);
  for (const columns of ['expires_at', 'account_id, app_id', 'account_id, user_id']) {
    await db.raw(`create index device_codes_${columns.replace(', ', '_')}_index on device_codes (${columns})`);
  }
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table device_codes');
}
