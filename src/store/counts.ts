import type { Milliseconds } from './time.ts';

/** What is counted instead of recorded one by one. `call.<operationId>` is a call with an API key. */
export type CountKind =
  | 'refresh'
  | 'introspection'
  | 'client_credentials'
  | 'credential_token'
  | 'authorization_code'
  | 'implicit'
  | 'password'
  | 'device_code'
  | 'token_exchange'
  | 'authorization_refused'
  | `call.${string}`;

export interface DailyCountRecord {
  readonly accountId: number;
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly kind: CountKind;
  /** The app; for `credential_token` the credential, for a call the API key. */
  readonly subjectId: number;
  readonly count: number;
  /** The time of the last one; null for a day counted by an older release. */
  readonly lastAt: Milliseconds | null;
}

/** What is counted for an account as a whole. `deprecated_call`: each call with an API key. */
const accountCountKinds = [
  'sign_in.succeeded',
  'sign_in.unknown_user',
  'sign_in.wrong_password',
  'sign_in.wrong_passkey',
  'sign_in.closed',
  'sign_in.wrong_second_factor',
  'sign_in.refused',
  'sign_in.hook_refused',
  'sign_in.hook_failed',
  'refresh',
  'refresh.repeated',
  'refresh.reused',
  'refresh.refused',
  'authorization_code',
  'implicit',
  'password',
  'device_code',
  'token_exchange',
  'client_credentials',
  'credential_token',
  'introspection',
  'authorization_refused',
  'deprecated_call',
  'hook.success',
  'hook.refused',
  'hook.invalid_result',
  'hook.error',
  'hook.timeout',
  'hook.out_of_memory',
  'hook.crashed',
  'hook.unavailable',
] as const;

export type AccountCountKind = (typeof accountCountKinds)[number];

export interface AccountCountRecord {
  readonly accountId: number;
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly kind: AccountCountKind;
  readonly count: number;
  readonly expiresAt: Milliseconds;
}

/** How often an app was used on a day. */
export interface DayOfUse {
  readonly appId: number;
  readonly day: string;
  readonly count: number;
}

/** Daily counts of what is not recorded one by one. */
export interface CountStore {
  /** Adds to the stored counts, all or nothing. */
  add(counts: readonly DailyCountRecord[], ofAccounts?: readonly AccountCountRecord[]): Promise<void>;
  /** From this day (`2026-11-21`) on, oldest first. */
  list(accountId: number, from: string): Promise<DailyCountRecord[]>;
  /** Of the account as a whole, both days included, oldest first. */
  listOfAccount(accountId: number, from: string, to: string): Promise<AccountCountRecord[]>;
  /** The days from `from` on, on which these apps were used, oldest first. */
  listUses(accountId: number, appIds: readonly number[], from: string): Promise<DayOfUse[]>;
  /** The last day on which each of these apps was used; those that never were are not in it. */
  lastUses(accountId: number, appIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}
