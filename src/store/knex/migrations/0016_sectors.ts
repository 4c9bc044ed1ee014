/** The sector within which clients know users by the same subject (OpenID Connect Core §8.1); null: the account. */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('alter table clients add column sector text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table clients drop column sector');
}
