/**
 * API authorization servers that clients have by their users' consent, without a link: which scopes are open to them, and
 * which clients have had one, so that their grants can be ended.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const clients = 'open_server_clients';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw("alter table authorization_servers add column client_access text not null default 'linked'");
  await db.raw('alter table authorization_server_scopes add column is_open integer not null default 0');
  await db.raw('alter table clients add column uses_open_servers integer not null default 0');
  await db.raw(`create table ${clients} (account_id ${number} not null, app_id ${number} not null,
    server_id ${number} not null, primary key (account_id, app_id, server_id),
    foreign key (account_id, server_id) references authorization_servers (account_id, id) on delete cascade,
    foreign key (account_id, app_id) references clients (account_id, app_id) on delete cascade ${end}`);
  await db.raw(`create index ${clients}_account_id_server_id_index on ${clients} (account_id, server_id)`);
}

const ofGrant = (table: string) => `(select 1 from ${table} c where c.account_id = grants.account_id
  and c.app_id = grants.app_id and c.server_id = grants.server_id)`;

/** An older release gives such grants no tokens, but would list them as live. */
export async function down(db: Knex): Promise<void> {
  await db.raw(
    `update grants set revoked_at = ?, revoked_because = 'the API is no longer linked' where revoked_at is null
      and server_id is not null and exists ${ofGrant(clients)} and not exists ${ofGrant('authorization_server_clients')}`,
    [Date.now()],
  );
  await db.raw(`drop table ${clients}`);
  await db.raw('alter table clients drop column uses_open_servers');
  await db.raw('alter table authorization_server_scopes drop column is_open');
  await db.raw('alter table authorization_servers drop column client_access');
}
