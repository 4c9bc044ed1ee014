import type { Milliseconds } from './time.ts';

/** A link with which a user chooses a password. */
export interface InviteLinkRecord {
  readonly accountId: number;
  readonly userId: number;
  readonly digest: string;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** Of the user when the link was made: with another one it works no more. */
  readonly meansVersion: number;
}

/** Links with which users choose a password. */
export interface LinkStore {
  find(accountId: number, digest: string): Promise<InviteLinkRecord | null>;
  /** Uses a link up (one conditional UPDATE): true for exactly one caller, before `expiresAt`. */
  use(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
}

/** Those that somebody made for a user, who has one at most. */
export interface InviteStore extends LinkStore {
  /** In place of the user's former one, used or not. */
  replace(link: InviteLinkRecord): Promise<void>;
}

/** Those that users asked for themselves: one ends no other. */
export interface PasswordResetStore extends LinkStore {
  add(link: InviteLinkRecord): Promise<void>;
}
