/**
 * Reads with a text that never changes, which each connection prepares once: a sign-in makes a dozen, and Knex takes
 * several times as long to make one as SQLite to answer it.
 */

import type { Knex } from 'knex';
import { dialectOf, type RowLock } from './dialect.ts';
import type { Cell, DbRow, Shape } from './shape.ts';

export interface FixedStatement {
  readonly kind: 'read' | 'write';
  /** Names the prepared statement of PostgreSQL. */
  readonly name: string;
  /** With a `?` for each value. */
  readonly text: string;
  /** The same with `$1`, `$2` and so on. */
  readonly numbered: string;
}

export interface FixedRead extends FixedStatement {
  readonly kind: 'read';
}

/** With `$1`, `$2` and so on for each `?`. */
export function numbered(text: string): string {
  let place = 0;
  return text.replaceAll('?', () => {
    place += 1;
    return `$${place}`;
  });
}

const known: FixedStatement[] = [];

/** All of them, and fixed writes, for the tests of plans and of accounts. */
export const fixedStatements: readonly FixedStatement[] = known;

/** Called when a module is loaded: nothing of a request ever gets into a text. */
export function fixedStatement<Kind extends 'read' | 'write'>(kind: Kind, name: string, text: string) {
  const statement = { kind, name, text, numbered: numbered(text) };
  known.push(statement);
  return statement;
}

export function fixedRead(name: string, text: string): FixedRead {
  return fixedStatement('read', name, text);
}

/** Reads whole records of a table. */
export function fixedSelect({ table, columns }: Pick<Shape<never>, 'table' | 'columns'>, name: string, where: string) {
  return fixedRead(
    name,
    `select ${columns.map((column) => `${table}.${column}`).join(', ')} from ${table} where ${where}`,
  );
}

export function readRows(db: Knex, read: FixedRead, ...values: Cell[]): Promise<DbRow[]> {
  return dialectOf(db).readFixed(db, read, values);
}

/**
 * Reads a row and locks it until the end of the transaction `tx`. Conditions on its own columns hold for the row as it
 * is once others have let go of it; those on other tables may be older.
 */
export async function lockRow(tx: Knex, read: FixedRead, as: RowLock, ...values: Cell[]): Promise<DbRow | undefined> {
  const [row] = await dialectOf(tx).lockFixed(tx, read, values, as);
  return row;
}

export async function readRow(db: Knex, read: FixedRead, ...values: Cell[]): Promise<DbRow | undefined> {
  const [row] = await readRows(db, read, ...values);
  return row;
}
