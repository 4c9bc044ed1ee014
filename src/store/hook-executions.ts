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

/** How a sign-in goes on after a run, or would. `policyId`: the policy that is then in force; null without success. */
export interface ToldOutcome {
  readonly outcome: HookOutcome;
  readonly policyId: number | null;
}

/** A version and the draft beside it, in one sign-in. */
export interface ShadowDifference {
  readonly live: ToldOutcome;
  readonly draft: ToldOutcome;
}

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
  /** Set where a draft ended otherwise; null for all other runs. */
  readonly shadow: ShadowDifference | null;
  readonly expiresAt: Milliseconds;
}

/** A run's row with its index entries, and what a draft adds to it. */
const bytesOfRow = 1_000;

/** What a run takes of the room that its account has for logs. */
export function bytesOf({ events, sealedReplay }: Pick<HookExecutionRecord, 'events' | 'sealedReplay'>): number {
  return bytesOfRow + Buffer.byteLength(JSON.stringify(events)) + (sealedReplay?.length ?? 0);
}

/** What came of running a draft beside a run. */
export interface Comparison {
  readonly accountId: number;
  readonly hookId: number;
  /** When the draft was set. */
  readonly setAt: Milliseconds;
  readonly requestId: string;
  /** With a line for the record; null where both ended alike. */
  readonly difference: (ShadowDifference & { readonly line: string }) | null;
}

/** What came of making room for runs. */
export interface LogRoom {
  /** Whether there is room now. */
  readonly isEnough: boolean;
  /** How many older runs were deleted for it. */
  readonly deleted: number;
}

export interface HookExecutionStore {
  /**
   * Deletes the account's oldest runs until the others and `wanted` bytes take at most `most`; some hundred at a time.
   */
  makeRoom(accountId: number, wanted: number, most: number): Promise<LogRoom>;
  add(executions: readonly Omit<HookExecutionRecord, 'id'>[]): Promise<void>;
  /** Counts it, and adds the difference to the record with this `requestId`, if it still exists. */
  addComparison(comparison: Comparison): Promise<void>;
  /** The newest runs since then from which a draft differed, newest first. */
  listDifferences(
    accountId: number,
    hookId: number,
    since: Milliseconds,
    limit: number,
  ): Promise<readonly HookExecutionRecord[]>;
  /** Fields: `created_at`, `request_id`, `correlation_id`. */
  page(accountId: number, hookId: number, query: ListQuery): Promise<ListPage<HookExecutionRecord>>;
  /** The newest runs of the account with larger numbers than `after`, newest first. */
  listNewest(
    accountId: number,
    after: number,
    limit: number,
  ): Promise<readonly Pick<HookExecutionRecord, 'id' | 'hookId'>[]>;
  /** Those that are still there, by number. */
  read(accountId: number, ids: readonly number[]): Promise<readonly HookExecutionRecord[]>;
  /** By `requestId`. */
  find(accountId: number, requestId: string): Promise<HookExecutionRecord | null>;
}
