import type { Knex } from 'knex';
import type { AskedClaims } from '../authorization-parameters.ts';
import type { CredentialToken } from '../callers.ts';
import type { Consumption, ConsumptionOutcome } from '../consumption.ts';
import type { CopyEnd } from '../copying.ts';
import type { NewEvent } from '../events.ts';
import type { AccessTokenStanding } from '../grants.ts';
import type { Pooling } from '../pooling.ts';
import type { Slice, SliceWanted } from '../purge.ts';
import type { ReadPlaces } from '../read-turns.ts';
import type { SearchIndex } from '../search.ts';
import type { Schema } from './schema/describe.ts';
import type { Cell } from './shape.ts';

/** How an engine consumes a batch, with `db` a pool or a transaction. */
export type ConsumeAll = (db: Knex, batch: readonly Consumption[]) => Promise<ConsumptionOutcome[]>;

/** Appends events to the chains of their accounts, with `db` a pool or a transaction. */
export type AppendEvents = (db: Knex, events: readonly NewEvent[]) => Promise<void>;

/** Inserts rows with the same columns, and their events, in one commit; returns the rows' ids in order. */
export type Append = (
  db: Knex,
  table: string,
  numbered: string,
  rows: readonly Readonly<Record<string, Cell>>[],
  eventsOf?: (numbers: readonly number[]) => NewEvent[],
) => Promise<number[]>;

/** The time limit of statements that the engine can cancel; on SQLite, where only reading ones can be, the least one. */
export const longestStatementMilliseconds = 5000;

/**
 * How long a statement that reads many rows waits for others, and may take on SQLite: who waits longer for the database
 * has a slower machine.
 */
export function readWait({ waitMilliseconds }: EngineOptions): number {
  return Math.max(waitMilliseconds, longestStatementMilliseconds);
}

/** Finds rows of an account by their ids, in the order of these. */
type FindAll<Found> = (db: Knex, accountId: number, ids: readonly number[]) => Promise<(Found | null)[]>;

/** Options for opening an engine. */
export interface EngineOptions {
  readonly url: string;
  /** Receives Knex's warnings. */
  readonly log: (line: string) => void;
  /** How long a call waits for a connection, and for a lock, before it fails with `unavailable`. */
  readonly waitMilliseconds: number;
  /** What the way to PostgreSQL keeps; default: the session. */
  readonly pooling?: Pooling | undefined;
  /** Whether a missing database file is created; default: true. */
  readonly create?: boolean;
}

/** Functions called so often that building statements with Knex would cost more than running them. */
export interface HotVerbs {
  readonly consumeAll: ConsumeAll;
  readonly append: Append;
  readonly appendEvents: AppendEvents;
  readonly findAccessTokens: FindAll<AccessTokenStanding>;
  readonly findCredentialTokens: FindAll<CredentialToken>;
  readonly findGrantClaims: FindAll<AskedClaims>;
}

/** The parts that the two databases implement differently. */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Knex;
  /**
   * For statements that read many rows (reading.ts), so that others do not wait for them: threads on SQLite, a small
   * separate pool on PostgreSQL. Sees everything committed before the call, and cannot write.
   */
  readonly reading: Knex;
  readonly readPlaces: ReadPlaces;
  readonly hot: HotVerbs;
  /** Runs a transaction that is not within another one. Others may share its commit. */
  readonly transact: <Result>(work: (tx: Knex) => Promise<Result>) => Promise<Result>;
  /** How many of them wait before they ask the pool. */
  readonly waitingTransactions: () => number;
  purge(wanted: SliceWanted): Promise<Slice>;
  /** The actual schema, with `db` a pool or a transaction. */
  describeSchema(db: Knex): Promise<Schema>;
  /** Updates the planner's statistics of new tables, at the end of the transaction that migrated them. */
  describeNewTables(tx: Knex): Promise<void>;
  /** Updates the planner's statistics, if the database does not do so by itself. */
  refreshStatistics(): Promise<void>;
  readonly search: SearchIndex;
  /** Runs a transaction that only one process at a time can be in, without time limits. */
  exclusively<Result>(work: (tx: Knex) => Promise<Result>): Promise<Result>;
  backup(file: string): Promise<void>;
  withCopyEnd<Result>(work: (end: CopyEnd) => Promise<Result>): Promise<Result>;
  findDamage(): Promise<string[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
