/** SQLite as one end of a copy of a whole database. */

import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { type CopyEnd, type CopyRow, type CopyTable, unfinishedCopy } from '../../copying.ts';
import { tablesOf } from '../schema/tables.ts';
import { onConnection, withOneCommit } from './client.ts';
import { describeSchema } from './schema.ts';

const listOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const places = (names: readonly string[]) => names.map(() => '?').join(', ');
const columnsOf = ({ columns }: CopyTable) => columns.map(({ name }) => name);

function insert(connection: Sqlite.Database, table: CopyTable, rows: readonly CopyRow[]): void {
  const triggers = connection
    .prepare<[string], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ?",
    )
    .all(table.name);
  // SQLite cannot switch them off; within the transaction nobody sees that they are gone.
  for (const { name } of triggers) connection.exec(`drop trigger "${name}"`);
  const names = columnsOf(table);
  const one = connection.prepare(`insert into "${table.name}" (${listOf(names)}) values (${places(names)})`);
  for (const row of rows) one.run(...row);
  for (const { sql } of triggers) connection.exec(sql);
}

function setNumber(connection: Sqlite.Database, table: CopyTable, number: bigint): void {
  const { changes } = connection.prepare('update sqlite_sequence set seq = ? where name = ?').run(number, table.name);
  if (changes > 0 || number === 0n) return;
  connection.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table.name, number);
}

/** `db` is the pool of the file. */
export async function copyEndOf(db: Knex): Promise<CopyEnd> {
  const tables = tablesOf(await describeSchema(db));
  return {
    tables,
    count: (table) =>
      onConnection(db, (connection) =>
        connection.prepare<[], number>(`select count(*) as rows_to_copy from "${table.name}"`).pluck().get(),
      ).then(Number),
    read: (table, after, limit) =>
      onConnection(db, (connection) => {
        const key = listOf(table.key);
        const further = after === null ? '' : `where (${key}) > (${places(table.key)})`;
        const rows = `select ${listOf(columnsOf(table))} from "${table.name}" ${further} order by ${key} limit ?`;
        return connection
          .prepare(rows)
          .safeIntegers()
          .raw()
          .all(...(after ?? []), limit) as CopyRow[];
      }),
    write: (table, rows, note) =>
      withOneCommit(db, (connection) => {
        insert(connection, table, rows);
        connection
          .prepare(
            'insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
          )
          .run(unfinishedCopy, note);
        return { result: undefined, wrote: true };
      }),
    readNumber: (table) =>
      onConnection(db, (connection) => {
        const number = connection.prepare<[string], bigint>('select seq from sqlite_sequence where name = ?');
        return number.safeIntegers().pluck().get(table.name) ?? 0n;
      }),
    finish: (numbers) =>
      withOneCommit(db, (connection) => {
        for (const [table, number] of numbers) setNumber(connection, table, number);
        connection.prepare('delete from facts where name = ?').run(unfinishedCopy);
        return { result: undefined, wrote: true };
      }),
  };
}
