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
/** A large table is described again when it has become so many times as large or as small. */
const growth = 4;
/** The assumed size of a small table. */
const assumedRows = 1_000_000;
const rowsOfAccount = 100_000;
/** Rows sampled per index: well under a millisecond each. */
const sampledRows = 400;

interface Index {
  readonly table: string;
  readonly name: string;
  readonly columns: number;
  readonly unique: number;
}

/** A row of `pragma index_list`. */
interface ListedIndex {
  readonly name: string;
  readonly unique: number;
  readonly partial: number;
}

/** What each table is to be described as, or is, by the names of its indexes. */
type Descriptions = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function tablesOf(connection: Sqlite.Database): string[] {
  const tables = `select name from pragma_table_list
    where schema = 'main' and type = 'table' and name not like 'sqlite!_%' escape '!'`;
  return connection.prepare<[], string>(tables).pluck().all();
}

/** Describes a small table, in a transaction that may write; true when its description has changed. */
export function describeSmall(connection: Sqlite.Database, table: string): boolean {
  return !isLarge(connection, table) && assume(connection, [table]);
}

/**
 * The indexes of a large table whose descriptions are missing or too old. SQLite counts all entries of an index that it
 * describes, which takes longer than others should wait once a table has millions of rows.
 */
export function indexesDue(connection: Sqlite.Database, table: string): readonly string[] {
  if (!isLarge(connection, table) || isDescribed(connection, table)) return [];
  return listIndexes(connection, table).map(({ name }) => name);
}

/** Describes one of `indexesDue`, in a transaction that may write. A connection uses it after `reloadStatistics`. */
export function describeIndex(connection: Sqlite.Database, table: string, index: string): void {
  connection.pragma(`analysis_limit = ${sampledRows}`);
  connection.exec(`analyze "${index}"`);
  if (listIndexes(connection, table).some(({ name, unique, partial }) => name === index && unique && !partial)) {
    describeUnique(connection, table, index);
  }
}

/**
 * A sample counts rows without a value as equal, so that an index of many of them looks as if it led to all rows of an
 * account. What is unique is one row where there is a value, and nothing else is looked for.
 */
function describeUnique(connection: Sqlite.Database, table: string, index: string): void {
  const stat = describedAs(connection).get(table)?.get(index);
  if (stat === undefined) return;
  const change = connection.prepare('update sqlite_stat1 set stat = ? where tbl = ? and idx = ?');
  change.run(stat.replace(/ \d+$/, ' 1'), table, index);
}

function listIndexes(connection: Sqlite.Database, table: string): readonly ListedIndex[] {
  return connection.pragma(`index_list("${table}")`) as ListedIndex[];
}

/**
 * Whether a table was described when it was about as large. Its size is the distance of its row numbers: rows that were
 * deleted in between only lead to another description, as does a table without row numbers.
 */
function isDescribed(connection: Sqlite.Database, table: string): boolean {
  const described = describedAs(connection).get(table)?.values() ?? [];
  // A partial index has fewer rows than its table.
  const rows = Math.max(0, ...[...described].map((stat) => Number.parseInt(stat, 10)));
  if (rows === 0 || rows === assumedRows || hasNoRowNumbers(connection, table)) return false;
  const end = (which: 'min' | 'max') => `(select ${which}(rowid) from "${table}")`;
  const size =
    connection
      .prepare<[], number>(`select ${end('max')} - ${end('min')} + 1`)
      .pluck()
      .get() ?? 0;
  return size < rows * growth && size > rows / growth;
}

function hasNoRowNumbers(connection: Sqlite.Database, table: string): boolean {
  return connection.prepare('select wr from pragma_table_list(?)').pluck().get(table) === 1;
}

/** Describes all tables, except large ones that are described already: fast enough for a start. */
export function describeNewTables(connection: Sqlite.Database): boolean {
  requireStatistics(connection);
  const described = describedAs(connection);
  const [large, small] = [new Set<string>(), new Set<string>()];
  for (const table of tablesOf(connection)) (isLarge(connection, table) ? large : small).add(table);
  const unknown = [...large].filter((table) => !described.has(table));
  for (const table of unknown) {
    for (const index of indexesDue(connection, table)) describeIndex(connection, table, index);
  }
  return assume(connection, [...small]) || unknown.length > 0;
}

/** Describes small tables; true when a description has changed. */
function assume(connection: Sqlite.Database, tables: readonly string[]): boolean {
  const [assumed, described] = [assumedAs(connection), describedAs(connection)];
  const changed = tables.filter((table) => !isSame(assumed.get(table), described.get(table)));
  if (changed.length === 0) return false;
  const forget = ['sqlite_stat1', 'sqlite_stat4'].map((known) =>
    connection.prepare(`delete from ${known} where tbl = ?`),
  );
  const insert = connection.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const table of changed) {
    for (const statement of forget) statement.run(table);
    for (const [name, stat] of assumed.get(table) ?? []) insert.run(table, name, stat);
  }
  return true;
}

function isSame(one: ReadonlyMap<string, string> = new Map(), other: ReadonlyMap<string, string> = new Map()): boolean {
  return one.size === other.size && [...one].every(([name, stat]) => other.get(name) === stat);
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

function byTable(rows: readonly (readonly [table: string, index: string, stat: string])[]): Descriptions {
  const found = new Map<string, Map<string, string>>();
  for (const [table, index, stat] of rows) found.set(table, (found.get(table) ?? new Map()).set(index, stat));
  return found;
}

function describedAs(connection: Sqlite.Database): Descriptions {
  return byTable(
    connection.prepare<[], [string, string, string]>('select tbl, idx, stat from sqlite_stat1').raw().all(),
  );
}

/**
 * All tables at once: for one of them SQLite would still list every table. The key of a table without row numbers is the
 * table itself, and is described under its name.
 */
function assumedAs(connection: Sqlite.Database): Descriptions {
  const indexes = connection.prepare<[], Index>(
    `select tables.name as "table", list."unique" as "unique",
      case when list.origin = 'pk' and tables.wr then tables.name else list.name end as name,
      (select count(*) from pragma_index_info(list.name)) as columns
    from pragma_table_list tables, pragma_index_list(tables.name) list`,
  );
  return byTable(indexes.all().map((index) => [index.table, index.name, assumedOf(index)] as const));
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
