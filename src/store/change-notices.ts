import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** The kinds of change that a user is notified of. */
export type MeansChange =
  | 'email'
  | 'username'
  | 'password'
  | 'app_added'
  | 'app_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes';

/** A message that a user's means of sign-in was changed; stored until it is sent or abandoned. */
export interface ChangeNoticeRecord {
  readonly accountId: number;
  readonly id: number;
  /** The recipient: the user's address before the change, or after it. */
  readonly address: string;
  readonly changes: readonly MeansChange[];
  readonly changedAt: Milliseconds;
  readonly attempts: number;
  readonly dueAt: Milliseconds;
}

/** Unsent messages about changes. */
export interface ChangeNoticeStore {
  /**
   * Adds a message. If one about the same change is waiting for the address, it gets the newer time, and all attempts
   * again.
   */
  add(notice: New<ChangeNoticeRecord>): Promise<void>;
  /**
   * Claims due messages of all accounts except some, each for one caller: they are due again at `until`, and an attempt
   * is counted.
   */
  claim(
    now: Milliseconds,
    until: Milliseconds,
    limit: number,
    except?: readonly number[],
  ): Promise<ChangeNoticeRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none, or when a change after `changedAt` is still to be reported. */
  remove(accountId: number, id: number, changedAt: Milliseconds): Promise<boolean>;
}
