import { hash } from 'node:crypto';
import type { CopyEnd, CopyRow, CopyTable } from '../../store/copying.ts';
import { unfinishedCopy } from '../../store/copying.ts';

/** Rows of one read: at first, and at most. */
const firstRows = 8;
const mostRows = 4096;
/** Characters of one read, about: there are rows of megabytes, and there are millions of rows. */
const mostCharacters = 2_000_000;

function sizeOf(rows: readonly CopyRow[]): number {
  let size = 0;
  for (const row of rows) for (const value of row) size += typeof value === 'string' ? value.length : 8;
  return size;
}

/** What identifies a row of a table, for a read that continues after it. */
export function keyOf(table: CopyTable, row: CopyRow): CopyRow {
  return table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? null);
}

/** The rows of a table in parts of bounded size, in the order of its key; without the note of an unfinished copy. */
export async function* partsOf(
  end: CopyEnd,
  table: CopyTable,
  after: CopyRow | null = null,
): AsyncGenerator<CopyRow[]> {
  const name = table.name === 'facts' ? table.columns.findIndex((column) => column.name === 'name') : -1;
  let limit = firstRows;
  for (let reached = after; ; ) {
    const rows = await end.read(table, reached, limit);
    const last = rows.at(-1);
    if (!last) return;
    yield name < 0 ? rows : rows.filter((row) => row[name] !== unfinishedCopy);
    if (rows.length < limit) return;
    reached = keyOf(table, last);
    const size = sizeOf(rows);
    limit = Math.max(1, Math.min(mostRows, 2 * limit, Math.floor((rows.length * mostCharacters) / size)));
  }
}

/** How many rows a table has, and a sum over their values that does not depend on their order. */
export interface Content {
  readonly rows: number;
  readonly sum: bigint;
}

function digestOf(row: CopyRow): bigint {
  // A length before each text, so that no two rows are written alike.
  const text = row.map((value) => (typeof value === 'string' ? `${value.length}:${value}` : `${value};`)).join('');
  return hash('sha256', text, 'buffer').readBigUInt64BE();
}

export async function readContent(end: CopyEnd, table: CopyTable, report: (rows: number) => void): Promise<Content> {
  let [rows, sum] = [0, 0n];
  for await (const part of partsOf(end, table)) {
    for (const row of part) sum = BigInt.asUintN(64, sum + digestOf(row));
    rows += part.length;
    report(rows);
  }
  return { rows, sum };
}
