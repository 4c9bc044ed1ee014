/** A user's live grants are found without those that ended, which stay for a day; there may be many more of these. */

import type { Knex } from 'knex';

// Together with the column that a rotation never changes: its new version of the row still touches no index.
const live = 'create index grants_account_id_user_id_revoked_at_index on grants (account_id, user_id, revoked_at)';

export async function up(db: Knex): Promise<void> {
  await db.raw(live);
  await db.raw('drop index grants_account_id_user_id_index');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('create index grants_account_id_user_id_index on grants (account_id, user_id)');
  await db.raw('drop index grants_account_id_user_id_revoked_at_index');
}
