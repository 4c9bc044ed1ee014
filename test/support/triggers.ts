/** The triggers of a database: what they do, and how it is without those that write other rows. */

import { ask, execute } from './rows.ts';

export interface Trigger {
  readonly name: string;
  readonly table: string;
  /** In lower case, on one line; of PostgreSQL with the function that it runs. */
  readonly text: string;
}

const onSqlite = `select name, tbl_name as "table", sql as text from sqlite_master where type = 'trigger' order by name`;
const onPostgres = `select g.tgname as name, c.relname as "table",
  replace(pg_get_triggerdef(g.oid), quote_ident(current_schema()) || '.', '') || ' as ' || p.prosrc as text
  from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_proc p on p.oid = g.tgfoid
  where not g.tgisinternal and c.relnamespace = current_schema()::regnamespace order by g.tgname`;

export async function readTriggers(url: string): Promise<Trigger[]> {
  const found = await ask(url, url.startsWith('sqlite:') ? onSqlite : onPostgres);
  return found.map(({ name, table, text }) => ({
    name: String(name),
    table: String(table),
    text: String(text).replaceAll(/\s+/g, ' ').trim().toLowerCase(),
  }));
}

const refusal = / begin (select raise\(abort, '[^']*'\);|raise exception '[^']*';) end$/;

/** Whether it may write rows: it does anything but refuse. */
export function writes({ text }: Trigger): boolean {
  return !refusal.test(text);
}

/** The database as the release after this one has it. */
export async function dropWritingTriggers(url: string): Promise<number> {
  const found = (await readTriggers(url)).filter(writes);
  const ofTable = (table: string) => (url.startsWith('sqlite:') ? '' : ` on ${table}`);
  await execute(url, found.map(({ name, table }) => `drop trigger ${name}${ofTable(table)};`).join('\n'));
  return found.length;
}
