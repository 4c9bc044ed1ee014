/** What is deleted because it is of no use any more: the tables, and how the store is asked. */

import type { Milliseconds } from './time.ts';

/** Tables with an index on `expires_at`, along which their rows go. */
export const expiringTables = [
  'access_tokens',
  'credential_tokens',
  'authorization_requests',
  'ended_requests',
  'pushed_requests',
  'codes',
  'device_codes',
  'sessions',
  'session_apps',
  'invite_links',
  'password_resets',
  'factor_devices',
  'factor_verifications',
  'passkey_challenges',
  'client_assertions',
  'hook_executions',
] as const;

/** Tables that are looked through from their first row to the last, since no index tells which rows can go. */
export const sweptTables = ['grants', 'package_bundles'] as const;

export type ExpiringTable = (typeof expiringTables)[number];
export type SweptTable = (typeof sweptTables)[number];
export type PurgedTable = ExpiringTable | SweptTable;

/** How far slices of a table have got; a value of the store's own. */
export type Position = readonly number[];

export interface SliceWanted {
  readonly table: PurgedTable;
  readonly now: Milliseconds;
  /** What the last slice has reached; null: from the first row. */
  readonly from: Position | null;
  /** Rows to delete at most; of a table that is swept, rows to look at. */
  readonly limit: number;
}

export interface Slice {
  readonly deleted: number;
  /** Where the next slice of the table begins. */
  readonly reached: Position | null;
  /** Nothing was left that this slice could have deleted. */
  readonly isLast: boolean;
  /** Since when the last row that was deleted should have been gone; null where that is not known. */
  readonly overdueSince: Milliseconds | null;
}

export interface Purge {
  /**
   * Since when the oldest row should be gone, of each table that has one; from where its slices have got to. One
   * statement, a step in an index for each table.
   */
  findOverdue(
    now: Milliseconds,
    reached: ReadonlyMap<PurgedTable, Position>,
  ): Promise<ReadonlyMap<ExpiringTable, Milliseconds>>;
  /**
   * Deletes rows of a table that expired or were used up long enough ago to be of no use, in one short transaction:
   * fewer than the limit on SQLite, where nothing else runs meanwhile, when they take more than a few milliseconds.
   */
  purge(wanted: SliceWanted): Promise<Slice>;
}
