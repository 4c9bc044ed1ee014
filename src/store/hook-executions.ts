import type { ListPage, ListQuery } from './listing.ts';
import type { Milliseconds } from './time.ts';

/**
 * How one run of a hook ended. Besides the runner's endings: `refused` (the function refused the sign-in) and
 * `invalid_result` (its answer is meaningless).
 */
export type HookOutcome =
  | 'success'
  | 'refused'
  | 'invalid_result'
  | 'error'
  | 'timeout'
  | 'out_of_memory'
  | 'crashed'
  | 'unavailable';

/** One run of a hook. */
export interface HookExecutionRecord {
  readonly accountId: number;
  readonly id: number;
  readonly hookId: number;
  /** UUID of this run. */
  readonly requestId: string;
  /** UUID of the request that it belongs to: the same for all runs of one sign-in. */
  readonly correlationId: string;
  readonly createdAt: Milliseconds;
  readonly outcome: HookOutcome;
  readonly durationMilliseconds: number;
  /** 1 for the first run, plus one for each retry. */
  readonly attempt: number;
  /** Output lines, as displayed. */
  readonly events: readonly string[];
  /** Context and answer, redacted and sealed, for a replay; null if the account does not store them. */
  readonly sealedReplay: string | null;
  readonly expiresAt: Milliseconds;
}

export interface HookExecutionStore {
  add(executions: readonly Omit<HookExecutionRecord, 'id'>[]): Promise<void>;
  /** Adds a line to the record with this `requestId`, if it still exists. */
  addEvent(accountId: number, requestId: string, line: string): Promise<void>;
  /** Fields: `created_at`, `request_id`, `correlation_id`. */
  page(accountId: number, hookId: number, query: ListQuery): Promise<ListPage<HookExecutionRecord>>;
  /** By `requestId`. */
  find(accountId: number, requestId: string): Promise<HookExecutionRecord | null>;
}
