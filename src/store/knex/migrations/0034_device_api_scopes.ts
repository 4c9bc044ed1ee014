/**
 * For which APIs a user let a device in: an API that its client is linked to before the device asks again may have scopes
 * of the same names. Null until somebody decides, and where an older release kept the decision.
 */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table device_codes add column api_scopes text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table device_codes drop column api_scopes');
}
