import type { Milliseconds } from './time.ts';

/** What is counted and not told one by one. `call.<operationId>` is a call made with an API key. */
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
  | `call.${string}`;

export interface DailyCountRecord {
  readonly accountId: number;
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly kind: CountKind;
  /** The app; for `credential_token` the credential, for a call the API key. */
  readonly subjectId: number;
  readonly count: number;
  /** When the last of them was; null for a day that was counted before this was kept. */
  readonly lastAt: Milliseconds | null;
}

/** How often what is not told one by one was done. */
export interface CountStore {
  /** Adds to what is stored, all or nothing. */
  add(counts: readonly DailyCountRecord[]): Promise<void>;
  /** From this day (`2026-11-21`) on, oldest first. */
  list(accountId: number, from: string): Promise<DailyCountRecord[]>;
}
