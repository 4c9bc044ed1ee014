/** What is removed at once and cleared bit by bit, because any number of rows may hang on it. */

import type { Milliseconds } from './time.ts';

/**
 * A user, app, role or custom attribute that is no more, with what hangs on it; or the access to an app that users have
 * lost, with the grants that rested on it.
 */
export const removalKinds = ['user', 'app', 'role', 'attribute', 'access'] as const;

export type RemovalKind = (typeof removalKinds)[number];

/** What one slice of the clearing did. */
export interface ClearedSlice {
  readonly kind: RemovalKind;
  readonly accountId: number;
  /** Rows that were deleted, or revoked, or looked at. */
  readonly rows: number;
  /** Nothing of this removal is left. */
  readonly isLast: boolean;
}

export interface WaitingRemovals {
  readonly count: number;
  /** When the oldest began; null when there is none. */
  readonly since: Milliseconds | null;
}

/** Whose turn it is. */
export interface ClearingTurn {
  /**
   * The account that had the last turn: accounts follow each other by number, and the last one is followed by the
   * first.
   */
  readonly after: number;
  /** Removals that are passed over. */
  readonly except: readonly number[];
}

export const firstTurn: ClearingTurn = { after: 0, except: [] };

/** A slice of which nothing was done. */
export interface FailedSlice {
  readonly accountId: number;
  readonly removalId: number;
  readonly error: unknown;
}

export interface Clearing {
  /**
   * Clears so many rows, in one short transaction, of the oldest removal of the account whose turn it is, of those that
   * no other process is clearing; null when none waits. Throws where none could be read.
   */
  clearRemoved(limit: number, turn?: ClearingTurn): Promise<ClearedSlice | FailedSlice | null>;
  findWaitingRemovals(): Promise<WaitingRemovals>;
}
