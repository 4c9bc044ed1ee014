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

/** Daily counts of what is not recorded one by one. */
export interface CountStore {
  /** Adds to the stored counts, all or nothing. */
  add(counts: readonly DailyCountRecord[]): Promise<void>;
  /** From this day (`2026-11-21`) on, oldest first. */
  list(accountId: number, from: string): Promise<DailyCountRecord[]>;
}
