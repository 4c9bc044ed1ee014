import type { Milliseconds } from './time.ts';

/** A link with which a user chooses a password. */
export interface InviteLinkRecord {
  readonly accountId: number;
  readonly userId: number;
  readonly digest: string;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** The user's version when the link was made: after a change it is invalid. */
  readonly meansVersion: number;
}

/** Links with which users choose a password. */
export interface LinkStore {
  find(accountId: number, digest: string): Promise<InviteLinkRecord | null>;
  /** Uses a link up (one conditional UPDATE): true for exactly one caller, before `expiresAt`. */
  use(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
}

/** Links that others made for a user, who has one at most. */
export interface InviteStore extends LinkStore {
  /** Replaces the user's former one, used or not. */
  replace(link: InviteLinkRecord): Promise<void>;
}

/** Links that users asked for themselves: a new one does not end others. */
export interface PasswordResetStore extends LinkStore {
  add(link: InviteLinkRecord): Promise<void>;
}
