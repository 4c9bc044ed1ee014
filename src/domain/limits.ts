/** How much of what an account lets happen has happened. */

import type { HookType } from '../store/hooks.ts';
import type { Account } from './accounts/account.ts';
import type { Limit, LimitName } from './accounts/limit-settings.ts';
import { Failure } from './failure.ts';
import type { NetworkSource } from './network-source.ts';

/** How far a limit is used up. Null limits are `off`. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** One that was counted, and how far the limit was used up then. */
export interface Taken extends LimitState {
  /** Counts it no longer, wherever it was counted: for limits that only count failures. Once. */
  giveBack(): Promise<void>;
}

/**
 * Whom a limit counts: a network, what a network does with one client, registration or API credential that exists, or one
 * that showed who it is. Strangers choose ids: one that does not exist counts for its source.
 */
export type LimitSubject =
  | { readonly source: NetworkSource }
  | { readonly source: NetworkSource; readonly client: string }
  | { readonly source: NetworkSource; readonly grant: number }
  | { readonly source: NetworkSource; readonly registration: string }
  | { readonly source: NetworkSource; readonly credential: string }
  | { readonly credential: string }
  | { readonly apiKey: number }
  | { readonly user: number }
  /** The `sid` of a browser's session. */
  | { readonly session: string }
  /** A name, as it is compared, that no user has. */
  | { readonly name: string }
  /** Runs of hooks: those that strangers set off count apart from those of users. */
  | { readonly hookType: HookType }
  /** The account as a whole. */
  | Readonly<Record<string, never>>;

/** A limit that a policy sets, and no setting of the account. */
export interface PolicyLimit extends Limit {
  readonly name: 'migration';
}

/**
 * Throws `rate_limited` where none is left, and counts nothing: for what counts only once it is known how it ended.
 * Answers the state; null: the limit is off.
 */
export async function requireLeft(
  limits: Pick<Limits, 'state'>,
  account: Account,
  limit: LimitName,
  subject: LimitSubject,
): Promise<LimitState | null> {
  const state = await limits.state(account, limit, subject);
  if (state?.remaining !== 0) return state;
  throw new Failure('rate_limited', {
    retryAfterSeconds: Math.max(1, state.resetSeconds),
    reason: `limit ${limit}`,
  });
}

/** Counters per account, limit and subject, over windows that the account's settings or a policy define. */
export interface Limits {
  /** Counts one; throws `Failure('rate_limited', { retryAfterSeconds })` when none is left. */
  take(account: Account, limit: LimitName | PolicyLimit, subject: LimitSubject): Promise<Taken | null>;
  /** Forgets what was counted. */
  reset(account: Account, limit: LimitName | PolicyLimit, subject: LimitSubject): Promise<void>;
  state(account: Account, limit: LimitName | PolicyLimit, subject: LimitSubject): Promise<LimitState | null>;
}
