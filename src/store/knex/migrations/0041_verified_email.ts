/**
 * The address that the user was shown to read, by a link that the service mailed to it; null: none. It counts while it
 * is the user's e-mail address.
 */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table users add column verified_email text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table users drop column verified_email');
}
