/** What is removed at once and cleared bit by bit, because any number of rows may hang on it. */

import type { Milliseconds } from './records.ts';

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

export interface Clearing {
  /**
   * Clears so many rows of the removal that waits longest and that no other process is clearing, in one short
   * transaction; null when none waits.
   */
  clearRemoved(limit: number): Promise<ClearedSlice | null>;
  findWaitingRemovals(): Promise<WaitingRemovals>;
}
