/** One end of a copy of a whole database: its tables, read and written row by row, past the nouns of the store. */

/** Numbers as `bigint`: a column may hold any number of 64 bits. */
export type CopyValue = string | bigint | null;

/** The values of a row, in the order of the table's columns. */
export type CopyRow = readonly CopyValue[];

export interface CopyColumn {
  readonly name: string;
  readonly holds: 'text' | 'integer';
}

export interface CopyTable {
  readonly name: string;
  /** By name, so that two databases list them in the same order. */
  readonly columns: readonly CopyColumn[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** The tables that its rows refer to. */
  readonly references: readonly string[];
  /** Whether the database numbers its rows, and never gives a number twice. */
  readonly numbered: boolean;
  /** Whether something happens when a row is written. */
  readonly hasTriggers: boolean;
}

/** The fact that an unfinished copy holds: which database it is of, and how far it has come. */
export const unfinishedCopy = 'unfinished_copy';

export interface CopyEnd {
  readonly tables: readonly CopyTable[];
  /** How many rows the table has. */
  count(table: CopyTable): Promise<number>;
  /** The next rows in the order of the key, after the one with these values of it. */
  read(table: CopyTable, after: CopyRow | null, limit: number): Promise<CopyRow[]>;
  /** Writes rows as they are, no trigger runs, and `note` as the fact `unfinished_copy`; in one transaction. */
  write(table: CopyTable, rows: readonly CopyRow[], note: string): Promise<void>;
  /** The greatest number that a row of this numbered table was ever given; 0 if none was. */
  readNumber(table: CopyTable): Promise<bigint>;
  /** Continues after these numbers, and drops the note: from now on the database can be used. */
  finish(numbers: ReadonlyMap<CopyTable, bigint>): Promise<void>;
}
