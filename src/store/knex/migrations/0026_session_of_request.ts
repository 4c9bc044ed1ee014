/** Which session the sign-in for a request opened, by its `sid`: no other session counts as signed in for it. */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table authorization_requests add column sid text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table authorization_requests drop column sid');
}
