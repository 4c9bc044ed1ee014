/**
 * Clients that are known by a metadata document have its address as their identifier: how many an account has is counted
 * when one is added.
 */

import type { Knex } from 'knex';

const name = 'clients_with_document';

export async function up(db: Knex): Promise<void> {
  await db.raw(`create index ${name} on clients (account_id, app_id) where substr(client_id, 1, 8) = 'https://'`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`drop index ${name}`);
}
