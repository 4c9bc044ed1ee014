/** Whether the service answers the metadata of an API to anybody (RFC 9728). */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table authorization_servers add column resource_metadata integer not null default 0');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table authorization_servers drop column resource_metadata');
}
