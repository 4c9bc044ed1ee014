/** Fields of lists as SQL, for the statements that read them and the migrations that index them: both must say the same. */

import type { Knex } from 'knex';

/** A column that lists sort or filter by. Text compares by its bytes in UTF-8 on both databases. */
export interface ListColumn {
  readonly column: string;
  readonly kind: 'text' | 'number';
  /** Null comes first: as the empty text, or as -1. */
  readonly nullable: boolean;
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

export function isPostgres(db: Knex): boolean {
  return db.client.driverName === 'pg';
}

/** The value that sorts and compares. */
export function expressionOf(db: Knex, { column, kind, nullable }: ListColumn): string {
  const value = nullable ? `coalesce(${column}, ${kind === 'text' ? "''" : '-1'})` : column;
  return kind === 'text' && isPostgres(db) ? `(${value}) collate "C"` : value;
}

/**
 * The index that a sort by, an exact filter on and the beginning of the column need. `id` is the table's number:
 * SQLite ends every index with it by itself.
 */
export async function createListIndex(db: Knex, table: string, column: ListColumn, id = 'id'): Promise<void> {
  const value = isPostgres(db) ? `(${expressionOf(db, column)}), ${id}` : expressionOf(db, column);
  await db.raw(`create index ${table}_${column.column}_list on ${table} (account_id, ${value})`);
}

export async function dropListIndex(db: Knex, table: string, column: ListColumn): Promise<void> {
  await db.raw(`drop index ${table}_${column.column}_list`);
}
