/** Objects that are removed at once but cleared in slices, because any number of rows may depend on them. */

import type { Milliseconds } from './time.ts';

/**
 * A removed user, app, role, custom attribute or API and the rows that depend on it; lost access to an app, or a removed
 * link of an app to an API, and the grants that depended on it.
 */
export const removalKinds = ['user', 'app', 'role', 'attribute', 'api', 'access', 'api_link'] as const;

export type RemovalKind = (typeof removalKinds)[number];

/** The result of one slice of clearing. */
export interface ClearedSlice {
  readonly kind: RemovalKind;
  readonly accountId: number;
  /** Rows that were deleted, revoked or looked at. */
  readonly rows: number;
  /** Nothing of this removal is left. */
  readonly isLast: boolean;
}

interface WaitingRemovals {
  readonly count: number;
  /** When the oldest began; null when there is none. */
  readonly since: Milliseconds | null;
}

/** Whose turn it is. */
export interface ClearingTurn {
  /** The account that had the last turn: accounts take turns by number, and the first follows the last. */
  readonly after: number;
  /** Removals to skip. */
  readonly except: readonly number[];
}

export const firstTurn: ClearingTurn = { after: 0, except: [] };

/** A slice that failed and changed nothing. */
export interface FailedSlice {
  readonly accountId: number;
  readonly removalId: number;
  readonly error: unknown;
}

export interface Clearing {
  /**
   * Clears up to `limit` rows, in one short transaction, of the oldest removal of the account whose turn it is,
   * skipping those that other processes are clearing; null when none is pending. Throws when none could be read.
   */
  clearRemoved(limit: number, turn?: ClearingTurn): Promise<ClearedSlice | FailedSlice | null>;
  findWaitingRemovals(): Promise<WaitingRemovals>;
}
