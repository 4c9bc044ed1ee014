/** Messages about changes are looked for by mailbox, however its address is spelled. */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw('drop index change_notices_address_index');
  await db.raw('create index change_notices_mailbox_index on change_notices (account_id, lower(address))');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index change_notices_mailbox_index');
  await db.raw('create index change_notices_address_index on change_notices (account_id, address)');
}
