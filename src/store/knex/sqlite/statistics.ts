/**
 * The statistics of SQLite's planner. Without them it considers all indexes about equally good, and reads all rows of
 * an account where two columns of an index would lead to a few.
 *
 * A small table is described as a large one, so that plans are the same in every installation and fit the table when it
 * has grown. A large table is described as it is, from a sample.
 */

import type Sqlite from 'better-sqlite3';

/** Fewer rows say nothing about the proportions of many. */
const largeRows = 10_000;
/** The assumed size of a small table. */
const assumedRows = 1_000_000;
const rowsOfAccount = 100_000;
/** Rows sampled per index: well under a millisecond each. */
const sampledRows = 400;

interface Index {
  readonly name: string;
  readonly columns: number;
  readonly unique: number;
}

export function tablesOf(connection: Sqlite.Database): string[] {
  const tables = "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'";
  return connection.prepare<[], string>(tables).pluck().all();
}

/**
 * Describes a table, in a transaction that may write; true when its description has changed. Takes a few milliseconds
 * at most. A connection uses it after `reloadStatistics`.
 */
export function describeTable(connection: Sqlite.Database, table: string): boolean {
  if (isLarge(connection, table)) {
    connection.pragma(`analysis_limit = ${sampledRows}`);
    connection.exec(`analyze "${table}"`);
    return true;
  }
  const assumed = indexesOf(connection, table).map((index) => [index.name, assumedOf(index)] as const);
  const described = describedAs(connection, table);
  if (assumed.length === described.size && assumed.every(([name, stat]) => described.get(name) === stat)) return false;
  for (const statistics of ['sqlite_stat1', 'sqlite_stat4']) {
    connection.prepare(`delete from ${statistics} where tbl = ?`).run(table);
  }
  const insert = connection.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const [name, stat] of assumed) insert.run(table, name, stat);
  return true;
}

/** Like `describeTable` for all tables, except large ones that are described already: fast enough for a start. */
export function describeNewTables(connection: Sqlite.Database): boolean {
  requireStatistics(connection);
  const isKnown = (table: string) => isLarge(connection, table) && describedAs(connection, table).size > 0;
  const changed = tablesOf(connection).map((table) => !isKnown(table) && describeTable(connection, table));
  return changed.includes(true);
}

/** Makes the connection use the stored statistics; others load them when they open the database. */
export function reloadStatistics(connection: Sqlite.Database): void {
  connection.exec('analyze sqlite_schema');
}

function requireStatistics(connection: Sqlite.Database): void {
  const made = connection.prepare("select 1 from sqlite_schema where name = 'sqlite_stat4'").get();
  if (made === undefined) reloadStatistics(connection);
}

function isLarge(connection: Sqlite.Database, table: string): boolean {
  return connection.prepare(`select 1 from "${table}" limit 1 offset ${largeRows - 1}`).get() !== undefined;
}

/** The description of each index, by its name. */
function describedAs(connection: Sqlite.Database, table: string): Map<string, string> {
  const known = connection.prepare<[string], [string, string]>('select idx, stat from sqlite_stat1 where tbl = ?');
  return new Map(known.raw().all(table));
}

function indexesOf(connection: Sqlite.Database, table: string): Index[] {
  // The key of a table without row numbers is the table itself, and is described under its name.
  const indexes = connection.prepare<[{ readonly table: string }], Index>(
    `select case when list.origin = 'pk' and tables.wr then tables.name else list.name end as name,
      (select count(*) from pragma_index_info(list.name)) as columns, list."unique" as "unique"
    from pragma_table_list tables, pragma_index_list(tables.name) list where tables.name = $table`,
  );
  return indexes.all({ table });
}

/**
 * The first column, the account, leaves enough rows to prefer any index that leads further; each other column gets an
 * equal part.
 */
function assumedOf({ columns, unique }: Index): string {
  const least = unique === 1 ? 1 : 10;
  const rows = Array.from({ length: columns }, (_, column) => {
    const left = columns === 1 ? 0 : 1 - column / (columns - 1);
    return Math.max(least, Math.round(rowsOfAccount ** left));
  });
  return [assumedRows, ...rows].join(' ');
}
