import type { Knex } from 'knex';
import type { Consume } from './grants.ts';

/** How an engine is opened. */
export interface EngineOptions {
  readonly url: string;
  /** Where Knex's warnings go. */
  readonly log: (line: string) => void;
  /** How long a verb waits for a connection, and again for a lock, before it says `unavailable`. */
  readonly waitMilliseconds: number;
}

/** What the two databases do each in its own way. */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Knex;
  readonly consume: Consume;
  /** A transaction that one process at a time can be in, without limits of time. */
  exclusively<Result>(work: (tx: Knex) => Promise<Result>): Promise<Result>;
  backup(file: string): Promise<void>;
  ping(): Promise<void>;
}
