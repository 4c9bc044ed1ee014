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

/**
 * How well an address is known to be the user's, the best first. `proven`: they signed in while they had it, or make the
 * change themselves. `unproven`: neither, so it may be a stranger's.
 */
export const noticeStandings = ['proven', 'unproven'] as const;

export type NoticeStanding = (typeof noticeStandings)[number];

/** A message that a user's means of sign-in was changed; stored until it is sent or abandoned. */
export interface ChangeNoticeRecord {
  readonly accountId: number;
  readonly id: number;
  /** The recipient: the user's address before the change, or after it. */
  readonly address: string;
  readonly standing: NoticeStanding;
  readonly changes: readonly MeansChange[];
  readonly changedAt: Milliseconds;
  readonly attempts: number;
  readonly dueAt: Milliseconds;
  /** From when it may be sent, as far as limits go: later than now, it is held back. Null: they were not asked yet. */
  readonly allowedAt: Milliseconds | null;
}

/** Unsent messages about changes. */
export interface ChangeNoticeStore {
  /**
   * Adds a message. If one about the same change is waiting for the mailbox, it gets the newer time, and all attempts
   * again. Addresses of one mailbox differ in upper and lower case alone.
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
  /** `allowedAt` is kept if it is not given. */
  postpone(accountId: number, id: number, dueAt: Milliseconds, allowedAt?: Milliseconds | null): Promise<void>;
  /** False when there is none, or when a change after `changedAt` is still to be reported. */
  remove(accountId: number, id: number, changedAt: Milliseconds): Promise<boolean>;
  /** How many messages to `unproven` addresses the account has, counted up to `most`. */
  countUnproven(accountId: number, most: number): Promise<number>;
  /** The messages to the mailbox of an address that are held back at `now`. */
  findHeld(accountId: number, address: string, now: Milliseconds): Promise<ChangeNoticeRecord[]>;
  /** Puts one message in the place of several; what it says is made of them as they were last, in their order. */
  merge(
    accountId: number,
    ids: readonly number[],
    made: (merged: readonly ChangeNoticeRecord[]) => New<ChangeNoticeRecord>,
  ): Promise<void>;
  /**
   * From when the allowance with this digest is wholly free; 0 if it is. Others who read it wait until the transaction
   * ends.
   */
  lockPace(accountId: number, digest: string): Promise<Milliseconds>;
  /** The same, as it was committed last. */
  findPace(accountId: number, digest: string): Promise<Milliseconds>;
  setPace(accountId: number, digest: string, freeAt: Milliseconds): Promise<void>;
}
