import type { Knex } from 'knex';
import type { CredentialToken } from '../callers.ts';
import type { Consumption, ConsumptionOutcome } from '../consumption.ts';
import type { NewEvent } from '../events.ts';
import type { AccessTokenStanding } from '../grants.ts';
import type { Slice, SliceWanted } from '../purge.ts';
import type { Schema } from './schema/describe.ts';
import type { Cell } from './shape.ts';

/** How an engine consumes a batch, on `db` or in the transaction that `db` is. */
export type ConsumeAll = (db: Knex, batch: readonly Consumption[]) => Promise<ConsumptionOutcome[]>;

/** Appends events to the chains of their accounts, on `db` or in the transaction that `db` is. */
export type AppendEvents = (db: Knex, events: readonly NewEvent[]) => Promise<void>;

/**
 * Inserts rows of one shape, and the events that tell of them, with one commit; answers the rows' numbers, in order.
 */
export type Append = (
  db: Knex,
  table: string,
  numbered: string,
  rows: readonly Readonly<Record<string, Cell>>[],
  eventsOf?: (numbers: readonly number[]) => NewEvent[],
) => Promise<number[]>;

/**
 * How long a statement may take where the engine can end it: any on PostgreSQL, those on `Engine.reading` on SQLite.
 */
export const longestStatementMilliseconds = 5000;

/** How long a statement that reads many rows waits until others have been read: as long as one of those may take. */
export function readWait({ waitMilliseconds }: EngineOptions): number {
  return Math.max(waitMilliseconds, longestStatementMilliseconds);
}

/** How an engine is opened. */
export interface EngineOptions {
  readonly url: string;
  /** Where Knex's warnings go. */
  readonly log: (line: string) => void;
  /** How long a verb waits for a connection, and again for a lock, before it says `unavailable`. */
  readonly waitMilliseconds: number;
  /** Whether a database file that is not there is made; so unless this is false. */
  readonly create?: boolean;
}

/** What is done so often that building statements with Knex would cost more than running them. */
export interface HotVerbs {
  readonly consumeAll: ConsumeAll;
  readonly append: Append;
  readonly appendEvents: AppendEvents;
  readonly findAccessToken: (db: Knex, accountId: number, id: number) => Promise<AccessTokenStanding | null>;
  readonly findCredentialToken: (db: Knex, accountId: number, id: number) => Promise<CredentialToken | null>;
}

/** What the two databases do each in its own way. */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Knex;
  /**
   * For statements that read many rows (reading.ts), so that nobody else waits for them: threads on SQLite, a small
   * pool of its own on PostgreSQL. Sees what was committed before it is asked, and cannot write.
   */
  readonly reading: Knex;
  readonly hot: HotVerbs;
  generation(accountId: number): Promise<number | null>;
  purge(wanted: SliceWanted): Promise<Slice>;
  /** The schema as it is, on `db` or in the transaction that `db` is. */
  describeSchema(db: Knex): Promise<Schema>;
  /** Tells the planner of tables that it knows nothing of, at the end of the transaction that has migrated them. */
  describeNewTables(tx: Knex): Promise<void>;
  /** Tells the planner how large tables are by now, where the database does not do so by itself. */
  refreshStatistics(): Promise<void>;
  /** A transaction that one process at a time can be in, without limits of time. */
  exclusively<Result>(work: (tx: Knex) => Promise<Result>): Promise<Result>;
  backup(file: string): Promise<void>;
  findDamage(): Promise<string[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
