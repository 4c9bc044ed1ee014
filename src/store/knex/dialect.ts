/** The SQL in which the two databases differ: one object for each, chosen when the database is opened. */

import type { Knex } from 'knex';
import type { ListFilter } from '../listing.ts';
import type { FixedRead } from './fixed-reads.ts';
import type { FixedWrite } from './fixed-writes.ts';
import type { Links, Sql, Stretch, Through } from './links.ts';
import type { Cell, DbRow } from './shape.ts';

/** To change rows; to change parts of them that nothing references; to keep them unchanged; to reference them. */
export type RowLock = 'forUpdate' | 'forNoKeyUpdate' | 'forShare' | 'forKeyShare';

/** An access to check. */
interface Access {
  readonly accountId: number;
  readonly appId: number;
  readonly userId: number;
}

/**
 * Only PostgreSQL needs locks: SQLite has one writer at a time, whose transactions begin by locking the whole file.
 * Statements differ only in what is here, in `Engine`, and in the two folders.
 */
export interface Dialect {
  /** Selects rows and locks them until the end of the transaction, one after the other in the order of the select. */
  lock(rows: () => Knex.QueryBuilder, as: RowLock): Promise<void>;
  /** Makes a select lock its rows for change, waiting for other holders. */
  waitFor(rows: Knex.QueryBuilder): Knex.QueryBuilder;
  /** Makes a select lock its rows for change, skipping those locked by others. */
  passOver(rows: Knex.QueryBuilder): Knex.QueryBuilder;
  /** The same as SQL text for the end of a select. */
  readonly passingOver: '' | 'for update skip locked';
  /**
   * A condition that is true: the commit of the statement does not wait for the disk or a standby. For what may be lost
   * with the machine, since it would be done again.
   */
  readonly withoutWaiting: string;
  /** What names a row within a statement, other than these columns, if there is something quicker. */
  placeOf(key: string): string;
  /** Locks the rows that an access depends on until the end of the transaction `tx`; false when there are none. */
  holdAccess(tx: Knex, access: Access): Promise<boolean>;
  /** The time of the statement by the database's clock, in milliseconds since the epoch. */
  readonly now: string;
  /** The rows of a fixed read, on the connection of `db`. */
  readFixed(db: Knex, read: FixedRead, values: readonly Cell[]): Promise<DbRow[]>;
  /** Runs a fixed write; outside a transaction it has a commit of its own. */
  writeFixed(db: Knex, write: FixedWrite, values: readonly Cell[]): Promise<DbRow[]>;
  /** The rows of a fixed read, locked until the end of the transaction `tx`. */
  lockFixed(tx: Knex, read: FixedRead, values: readonly Cell[], as: RowLock): Promise<DbRow[]>;
  /** The rows in the result of `db.raw`. */
  rowsOf(answer: unknown): DbRow[];
  /** Placeholder of a number that is compared with an expression over columns. */
  readonly numberGiven: '?' | 'cast(? as bigint)';
  /** An expression that sorts and compares text by its UTF-8 bytes. */
  byBytes(text: string): string;
  /** Whether a text has a suffix. */
  endsWith(text: string, suffix: string): Sql;
  /** Whether a text contains another. */
  holds(text: string, other: string): Sql;
  /** The index of the parts of users' texts. Null if it is one that the planner uses by itself where few rows match. */
  readonly userSearch: UserSearch | null;
  /** The number in a member of a JSON object that is stored as text, as `JSON.stringify` writes it; null for none. */
  numberIn(column: string, member: string): string;
  /**
   * A value that is compared without its index. Null if the planner itself knows how many rows a range of an index has.
   */
  readonly unindexed: ((value: string) => string) | null;
  /** The last columns of an index: by `value`, then by the row's number in the column `id`. */
  indexed(value: string, id: string): string;
  /** The values of a column in a group, ascending, as a JSON array: as text, or parsed. */
  listOf(column: string): string;
  /** For each row linked through another table, its nearest ids in any order; the nearest of all are among them. */
  nearestThrough(
    links: Links & { readonly through: Through },
    accountId: number,
    values: readonly Cell[],
    of: Stretch,
  ): Sql;
}

/**
 * An index of the parts of users' texts, which lists ask for a part. It finds more than it is asked for: each user whom it
 * finds is compared with the filter.
 */
export interface UserSearch {
  /** What it can be asked for a filter on a column, part by part; nothing where it cannot tell. */
  readonly partsAsked: (column: string, filter: ListFilter) => readonly string[];
  /** The ids of those who may have all of the parts, in any account. */
  readonly found: (parts: readonly string[]) => Sql;
  /** The ids of those of the account whom it does not know yet. */
  readonly waitingOf: (accountId: number) => Sql;
  /** Takes out somebody whose row is deleted. */
  readonly forget: (id: number) => Sql;
}

/** For the configuration of a Knex client, where `dialectOf` finds its dialect. */
export function speaking(dialect: Dialect): { readonly sqlDialect: Dialect } {
  return { sqlDialect: dialect };
}

/** The dialect of a database or a transaction. */
export function dialectOf(db: Pick<Knex, 'client'>): Dialect {
  const { config }: { readonly config: ReturnType<typeof speaking> } = db.client;
  return config.sqlDialect;
}
