/**
 * For which APIs a grant without a resource has its scopes: an API that its client is linked to later may have scopes of
 * the same names. Null where an older release made the grant.
 */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table grants add column api_scopes text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table grants drop column api_scopes');
}
