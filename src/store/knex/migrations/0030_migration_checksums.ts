/** With each migration that was applied, the checksum that it had then. */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table migrations add column checksum text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table migrations drop column checksum');
}
