/** For which apps a session has been used, of accounts whose hooks run at the first use: named by its `sid`, which stays when it is worth more. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const ofClient = 'foreign key (account_id, app_id) references clients (account_id, app_id) on delete cascade';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table session_apps (account_id ${number} not null, sid text not null, app_id ${number} not null,
    expires_at ${number} not null, primary key (account_id, sid, app_id), ${ofClient} ${end}`);
  await db.raw('create index session_apps_expires_at_index on session_apps (expires_at)');
  await db.raw('create index session_apps_account_id_app_id_index on session_apps (account_id, app_id)');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table session_apps');
}
