/** What the account pages need: sign-ins to no app, and where each session was begun. */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const table = 'authorization_requests';

/**
 * SQLite changes a column by a copy of the table. It is made from what the database says of the table, so that it holds
 * the columns that other migrations added.
 */
async function rebuild(db: Knex, change: (definition: string) => string): Promise<void> {
  const parts: { type: string; sql: string | null }[] = await db.raw(
    'select type, sql from sqlite_master where tbl_name = ?',
    [table],
  );
  const definition = parts.find(({ type }) => type === 'table')?.sql ?? '';
  await db.raw(`alter table ${table} rename to ${table}_former`);
  await db.raw(change(definition));
  await db.raw(`insert into ${table} select * from ${table}_former`);
  await db.raw(`drop table ${table}_former`);
  for (const { type, sql } of parts) if (type === 'index' && sql !== null) await db.raw(sql);
}

export async function up(db: Knex): Promise<void> {
  if (isPostgres(db)) await db.raw(`alter table ${table} alter column app_id drop not null`);
  else await rebuild(db, (sql) => sql.replace('app_id integer not null', 'app_id integer'));
  await db.raw('alter table sessions add column source text');
  await db.raw('alter table sessions add column user_agent text');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table sessions drop column user_agent');
  await db.raw('alter table sessions drop column source');
  await db.raw(`delete from ${table} where app_id is null`);
  if (isPostgres(db)) await db.raw(`alter table ${table} alter column app_id set not null`);
  else await rebuild(db, (sql) => sql.replace('app_id integer', 'app_id integer not null'));
}
