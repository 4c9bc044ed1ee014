import type { Milliseconds } from './time.ts';

/** What sign-ins are compared by: digests, and a country code or null. */
export interface SignInTraitsRecord {
  readonly at: Milliseconds;
  readonly device: string;
  readonly network: string;
  readonly country: string | null;
}

/** What is remembered of a user's sign-ins: digests, country codes, hours and times, each list bounded. */
export interface SignInHistory {
  /** How many there were. */
  readonly count: number;
  /** What was seen, with the time it was seen last, newest first. */
  readonly devices: readonly (readonly [digest: string, at: Milliseconds])[];
  readonly networks: readonly (readonly [digest: string, at: Milliseconds])[];
  readonly countries: readonly (readonly [code: string, at: Milliseconds])[];
  /** Sign-ins by hour of the day in UTC: 24 numbers. */
  readonly hours: readonly number[];
}

export interface SignInHistoryRecord {
  readonly accountId: number;
  readonly userId: number;
  readonly history: SignInHistory;
  readonly updatedAt: Milliseconds;
}

export interface SignInHistoryStore {
  find(accountId: number, userId: number): Promise<SignInHistoryRecord | null>;
  /** Replaces what was remembered of the user. */
  keep(record: SignInHistoryRecord): Promise<void>;
}
