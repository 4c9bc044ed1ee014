/** What the two databases say each in its own words: an object for each has all of it, chosen when it is opened. */

import type { Knex } from 'knex';
import type { Links, Sql, Stretch, Through } from './links.ts';
import type { Cell, DbRow } from './shape.ts';

/** To change rows; to change what nobody refers to in them; to refer to them. */
export type RowLock = 'forUpdate' | 'forNoKeyUpdate' | 'forKeyShare';

/** An access that is asked about. */
export interface Access {
  readonly accountId: number;
  readonly appId: number;
  readonly userId: number;
}

/**
 * Locks are PostgreSQL's: SQLite has one writer at a time, whose transactions begin with the lock of the whole file.
 * Statements differ by what stands here and by nothing else, `Engine` and what lies in the two folders excepted.
 */
export interface Dialect {
  /** Selects rows and locks them until the end of the transaction, one after the other in the order of the select. */
  lock(rows: () => Knex.QueryBuilder, as: RowLock): Promise<void>;
  /** Has a select lock its rows to change them, and wait for whoever has them. */
  waitFor(rows: Knex.QueryBuilder): Knex.QueryBuilder;
  /** Has a select lock its rows to change them, less those that another process has at this moment. */
  passOver(rows: Knex.QueryBuilder): Knex.QueryBuilder;
  /** The same at the end of a select in text. */
  readonly passingOver: '' | 'for update skip locked';
  /** Keeps what an access rests on until the end of the transaction that `tx` is; false when there is nothing. */
  holdAccess(tx: Knex, access: Access): Promise<boolean>;
  /** The rows of what `db.raw` answers. */
  rowsOf(answer: unknown): DbRow[];
  /** The place of a number that is compared with an expression over columns. */
  readonly numberGiven: '?' | 'cast(? as bigint)';
  /** A text that sorts and compares by its bytes in UTF-8. */
  byBytes(text: string): string;
  /** Whether a text ends so. Bindings: the length of the ending in characters, the ending. */
  endsWith(text: string): string;
  /** Whether a text holds another. Binding: the other. */
  holds(text: string): string;
  /** The last columns of an index by `value` and then by the number of the row, in the column `id`. */
  indexed(value: string, id: string): string;
  /** The values of a column in a group, ascending, as a JSON array: in text, or read. */
  listOf(column: string): string;
  /** Of each that is linked through another table: the nearest ids, in any order, the nearest of all among them. */
  nearestThrough(
    links: Links & { readonly through: Through },
    accountId: number,
    values: readonly Cell[],
    of: Stretch,
  ): Sql;
}

/** For the configuration of a Knex client: where `dialectOf` finds its dialect. */
export function speaking(dialect: Dialect): { readonly sqlDialect: Dialect } {
  return { sqlDialect: dialect };
}

/** The dialect of the database that `db` is, or is a transaction of. */
export function dialectOf(db: Knex): Dialect {
  const { config }: { readonly config: ReturnType<typeof speaking> } = db.client;
  return config.sqlDialect;
}
