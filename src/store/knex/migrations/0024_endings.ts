/** What an ending has to find: what a session approved and when, which grants outlive their session, and since when nothing before counts. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

/** Sign-ins in progress of one user: few rows say whose they are, and none before its first factor. */
const ofUser = ['password_user_id', 'decided_by'] as const;

export async function up(db: Knex): Promise<void> {
  const number = isPostgres(db) ? 'bigint' : 'integer';
  await db.raw(`alter table codes add column created_at ${number}`);
  await db.raw('alter table device_codes add column sid text');
  await db.raw(`alter table device_codes add column decided_at ${number}`);
  await db.raw('alter table grants add column offline_access integer');
  await db.raw(`alter table users add column signed_out_at ${number}`);
  for (const column of ofUser) {
    await db.raw(`create index authorization_requests_account_id_${column}_index
      on authorization_requests (account_id, ${column}) where ${column} is not null`);
  }
}

export async function down(db: Knex): Promise<void> {
  for (const column of ofUser) await db.raw(`drop index authorization_requests_account_id_${column}_index`);
  await db.raw('alter table users drop column signed_out_at');
  await db.raw('alter table grants drop column offline_access');
  await db.raw('alter table device_codes drop column decided_at');
  await db.raw('alter table device_codes drop column sid');
  await db.raw('alter table codes drop column created_at');
}
