/**
 * Links in the order of what they name, so that pages follow them (list-walk.ts). On SQLite the indexes have that order
 * already: in a table without row numbers each ends with the rest of the key.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

/** Where the index leads from, and what it is to be in the order of. */
const links = [
  ['role_users', 'role_id', 'user_id'],
  ['role_admins', 'role_id', 'user_id'],
  ['app_roles', 'role_id', 'app_id'],
  ['app_users', 'user_id', 'app_id'],
] as const;

export async function up(db: Knex): Promise<void> {
  if (!isPostgres(db)) return;
  for (const [table, by, column] of links) {
    await db.raw(`create index ${table}_account_id_${by}_${column}_index on ${table} (account_id, ${by}, ${column})`);
    await db.raw(`drop index ${table}_account_id_${by}_index`);
  }
}

export async function down(db: Knex): Promise<void> {
  if (!isPostgres(db)) return;
  for (const [table, by, column] of links) {
    await db.raw(`create index ${table}_account_id_${by}_index on ${table} (account_id, ${by})`);
    await db.raw(`drop index ${table}_account_id_${by}_${column}_index`);
  }
}
