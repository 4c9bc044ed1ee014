/**
 * A new client with a metadata document moves the account's generation: that nobody has agreed to such a client yet is
 * kept in memory, unlike the absence of other clients.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const name = 'clients_insert_generation';
const when = `when (substr(new.client_id, 1, 8) = 'https://')`;
const work = 'update accounts set generation = generation + 1 where id = new.account_id';

export async function up(db: Knex): Promise<void> {
  if (!isPostgres(db)) {
    await db.raw(`create trigger ${name} after insert on clients ${when} begin ${work}; end`);
    return;
  }
  await db.raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${work}; return null; end $$`);
  await db.raw(`create trigger ${name} after insert on clients for each row ${when} execute function ${name}()`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(isPostgres(db) ? `drop trigger ${name} on clients` : `drop trigger ${name}`);
  if (isPostgres(db)) await db.raw(`drop function ${name}()`);
}
