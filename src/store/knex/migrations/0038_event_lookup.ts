/** Events are found by the request that they belong to, and by the user and the app that they are about. */

import type { Knex } from 'knex';
import { lookupColumns } from '../event-columns.ts';
import { expressionOf } from '../list-index.ts';

/** Behind what is looked for stands the order of the list, as in the other indexes of events. */
export async function up(db: Knex): Promise<void> {
  for (const [name, column] of Object.entries(lookupColumns)) {
    await db.raw(`create index events_${name}_list on events (account_id, (${expressionOf(db, column)}), at, id)`);
  }
}

export async function down(db: Knex): Promise<void> {
  for (const name of Object.keys(lookupColumns)) await db.raw(`drop index events_${name}_list`);
}
