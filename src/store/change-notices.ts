import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** What a message to a user tells of. */
export type MeansChange =
  | 'email'
  | 'username'
  | 'password'
  | 'app_added'
  | 'app_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes';

/** A message that says how a user signs in was changed; kept until it was sent or given up. */
export interface ChangeNoticeRecord {
  readonly accountId: number;
  readonly id: number;
  /** That it goes to: of the user before the change, or after it. */
  readonly address: string;
  readonly changes: readonly MeansChange[];
  readonly changedAt: Milliseconds;
  readonly attempts: number;
  readonly dueAt: Milliseconds;
}

/** Messages about changes that were not sent yet. */
export interface ChangeNoticeStore {
  /**
   * Keeps one. Where one of the same changes waits for the address, it gets the newer time, and all its attempts again.
   */
  add(notice: New<ChangeNoticeRecord>): Promise<void>;
  /**
   * Those that are due, of all accounts but some, each for one caller: they are due again at `until`, and an attempt is
   * counted.
   */
  claim(
    now: Milliseconds,
    until: Milliseconds,
    limit: number,
    except?: readonly number[],
  ): Promise<ChangeNoticeRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none, or a change that came after `changedAt` is still to be told. */
  remove(accountId: number, id: number, changedAt: Milliseconds): Promise<boolean>;
}
