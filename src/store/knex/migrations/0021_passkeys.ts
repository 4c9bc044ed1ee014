/** Passkeys (WebAuthn Level 3): what they have beside the device that each of them is, and the challenges that were answered. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const ofDevice = 'foreign key (account_id, device_id) references factor_devices (account_id, id) on delete cascade';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table passkeys (account_id ${number} not null, device_id ${number} not null,
    credential_id text not null, counter ${number} not null, transports text not null,
    backup_eligible integer not null, backed_up integer not null, primary key (account_id, device_id),
    constraint passkeys_credential_id_unique unique (account_id, credential_id), ${ofDevice} ${end}`);
  await db.raw(`create table passkey_challenges (account_id ${number} not null references accounts (id), digest text not null,
    expires_at ${number} not null, primary key (account_id, digest) ${end}`);
  await db.raw('create index passkey_challenges_expires_at_index on passkey_challenges (expires_at)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table passkey_challenges');
  await db.raw('drop table passkeys');
  // To an older release a device is one that makes codes.
  await db.raw("delete from factor_devices where kind = 'passkey'");
}
