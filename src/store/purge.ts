/** Deletion of expired rows: the tables, and the interface of the store. */

import type { Milliseconds } from './time.ts';

/** Tables with an index on `expires_at`, in whose order rows are deleted. */
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
  'hook_log_sizes',
  'kept_answers',
  'refusals',
  'limit_counts',
  'notice_paces',
  'account_counts',
  'console_grants',
  'console_proofs',
] as const;

/** Tables that are scanned from the first row to the last, since no index tells which rows can be deleted. */
export const sweptTables = ['grants', 'package_bundles'] as const;

export type ExpiringTable = (typeof expiringTables)[number];
export type SweptTable = (typeof sweptTables)[number];
export type PurgedTable = ExpiringTable | SweptTable;

/** How far the slices of a table have got; an opaque value of the store. */
export type Position = readonly number[];

export interface SliceWanted {
  readonly table: PurgedTable;
  readonly now: Milliseconds;
  /** Where the last slice ended; null: from the first row. */
  readonly from: Position | null;
  /** Maximum number of rows to delete; for a swept table, of rows to look at. */
  readonly limit: number;
}

export interface Slice {
  readonly deleted: number;
  /** Where the next slice of the table begins. */
  readonly reached: Position | null;
  /** This slice left nothing that it could have deleted. */
  readonly isLast: boolean;
  /** Since when the last deleted row was overdue; null if that is unknown. */
  readonly overdueSince: Milliseconds | null;
}

export interface Purge {
  /**
   * Since when the oldest row is overdue, for each table that has one, starting where its slices have got to. One
   * statement with one index lookup per table.
   */
  findOverdue(
    now: Milliseconds,
    reached: ReadonlyMap<PurgedTable, Position>,
  ): Promise<ReadonlyMap<ExpiringTable, Milliseconds>>;
  /**
   * Deletes rows of a table that expired or were used up long enough ago, in one short transaction. On SQLite, where
   * nothing else runs meanwhile, it deletes fewer than the limit if they take more than a few milliseconds.
   */
  purge(wanted: SliceWanted): Promise<Slice>;
}
