/** List fields as SQL, for the statements that read them and the migrations that index them; both must be equal. */

import type { Knex } from 'knex';
import { type Dialect, dialectOf } from './dialect.ts';

/** A column that lists sort or filter by. Text compares by its UTF-8 bytes on both databases. */
export interface ListColumn {
  readonly column: string;
  readonly kind: 'text' | 'number';
  /** Null comes first: as the empty text, or as -1. */
  readonly nullable: boolean;
  /** Instead of a column: what it is computed from, in SQL, as arguments of `coalesce`. */
  readonly computed?: (dialect: Dialect) => string;
}

export function text(column: string): ListColumn {
  return { column, kind: 'text', nullable: true };
}

/** A number, or a time in milliseconds; never negative. */
export function number(column: string): ListColumn {
  return { column, kind: 'number', nullable: true };
}

/** A column that is never null. */
export function filled(kind: ListColumn['kind'], column: string): ListColumn {
  return { column, kind, nullable: false };
}

/** A number that is computed from the columns of a row: `from` gives the arguments of `coalesce`. */
export function computed(name: string, from: (dialect: Dialect) => string): ListColumn {
  return { column: name, kind: 'number', nullable: true, computed: from };
}

/** The expression that sorts and compares. */
export function expressionOf(db: Knex, { column, kind, nullable, computed: from }: ListColumn): string {
  const own = from ? from(dialectOf(db)) : column;
  const value = nullable ? `coalesce(${own}, ${kind === 'text' ? "''" : '-1'})` : own;
  return kind === 'text' ? dialectOf(db).byBytes(value) : value;
}

/** The index for sorting by the column, and for exact and prefix filters. `id` is the table's number. */
export async function createListIndex(db: Knex, table: string, column: ListColumn, id = 'id'): Promise<void> {
  const value = dialectOf(db).indexed(expressionOf(db, column), id);
  await db.raw(`create index ${table}_${column.column}_list on ${table} (account_id, ${value})`);
}

export async function dropListIndex(db: Knex, table: string, column: ListColumn): Promise<void> {
  await db.raw(`drop index ${table}_${column.column}_list`);
}
