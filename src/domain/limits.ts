/** Counters for the limits of an account. */

import type { HookType } from '../store/hooks.ts';
import type { Account } from './accounts/account.ts';
import type { Limit, LimitName } from './accounts/limit-settings.ts';
import type { NetworkSource } from './network-source.ts';

/** The state of a limit. Null limits are `off`. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends, or until this node knows more of what other nodes left of it. */
  readonly resetSeconds: number;
}

/** A counted event, and the state of the limit at that time. */
export interface Taken extends LimitState {
  /** Removes it from the count, wherever it was counted: for limits that only count failures. Call it once. */
  giveBack(): Promise<void>;
}

/**
 * What a limit counts by: a network; a network together with an existing client, registration or API credential; or an
 * authenticated one. Ids are chosen by strangers, so an unknown id counts for its source.
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
  | { readonly user: number; readonly client: string }
  /** The `sid` of a browser's session. */
  | { readonly session: string }
  /** A name in compared form that no user has. */
  | { readonly name: string }
  /** Runs of hooks: those caused by strangers count separately from those of users. */
  | { readonly hookType: HookType }
  /** The account as a whole. */
  | Readonly<Record<string, never>>;

/** A limit that a policy sets rather than a setting of the account. */
export interface PolicyLimit extends Limit {
  readonly name: 'migration';
}

/** Receives every refusal. */
export interface LimitReport {
  refused(limit: LimitName | PolicyLimit['name']): void;
}

/** Counters by account, limit and subject, over windows that the account's settings or a policy define. */
export interface Limits {
  /** Counts one event; throws `Failure('rate_limited', { retryAfterSeconds })` when none is left. */
  take(account: Account, limit: LimitName | PolicyLimit, subject: LimitSubject): Promise<Taken | null>;
  /**
   * Throws `rate_limited` when none is left, and counts nothing: for events that count only once their outcome is known.
   * Returns the state; null: the limit is off.
   */
  requireLeft(account: Account, limit: LimitName, subject: LimitSubject): Promise<LimitState | null>;
  /** Clears the count. */
  reset(account: Account, limit: LimitName | PolicyLimit, subject: LimitSubject): Promise<void>;
  state(account: Account, limit: LimitName | PolicyLimit, subject: LimitSubject): Promise<LimitState | null>;
}
