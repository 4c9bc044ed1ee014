import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** The meaning of the numbers on the wire. */
export const userStatuses = {
  unactivated: 0,
  active: 1,
  suspended: 2,
  locked: 3,
  passwordExpired: 4,
  awaitingReset: 5,
  passwordPending: 7,
} as const;

export type UserStatus = (typeof userStatuses)[keyof typeof userStatuses];

export interface UserRecord {
  readonly accountId: number;
  readonly id: number;
  readonly email: string | null;
  /**
   * The address that a link, mailed to it by the service, was used from; it counts while it equals `email`. Null: none.
   */
  readonly verifiedEmail: string | null;
  readonly username: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly status: UserStatus;
  readonly passwordDigest: string | null;
  /** Wrong passwords in a row. */
  readonly invalidLoginAttempts: number;
  /** Until when sign-in by password is closed. */
  readonly lockedUntil: Milliseconds | null;
  readonly lastLogin: Milliseconds | null;
  readonly passwordChangedAt: Milliseconds | null;
  /** When everything that the user had begun or opened was last ended for good: older access tokens are invalid. */
  readonly signedOutAt: Milliseconds | null;
  readonly activatedAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
  /** Until when no reset link goes to the address, because its writer may not set passwords; null: no hold. */
  readonly emailHeldUntil: Milliseconds | null;
  /** When the address took the place of another one; null: the user was created with it, or none is known. */
  readonly emailWrittenAt: Milliseconds | null;
  /**
   * Counts the changes of address, user name, password and status: a link works only for the number at which it was
   * made.
   */
  readonly meansVersion: number;
}

/** The members of a user that tokens depend on, and no more: read whenever a client gets tokens. */
export type TokenUser = Pick<
  UserRecord,
  | 'accountId'
  | 'id'
  | 'email'
  | 'verifiedEmail'
  | 'username'
  | 'firstname'
  | 'lastname'
  | 'status'
  | 'signedOutAt'
  | 'updatedAt'
>;

/** 0 unapproved, 1 approved, 2 rejected, 3 unlicensed. */
export type UserState = 0 | 1 | 2 | 3;

/** Details of a user that are not needed for signing in: stored separately, since a refresh does not read them. */
export interface UserDetails {
  readonly title: string | null;
  readonly department: string | null;
  readonly company: string | null;
  readonly phone: string | null;
  readonly comment: string | null;
  readonly externalId: string | null;
  readonly groupId: number | null;
  readonly managerUserId: number | null;
  readonly preferredLocaleCode: string | null;
  /** The user's own policy; null: another one is in force. */
  readonly policyId: number | null;
  readonly state: UserState;
  readonly invitationSentAt: Milliseconds | null;
}

export type DetailedUser = UserRecord & UserDetails;

/** The user's sign-in names, folded (NFKC, case-insensitive): each is unique in the account among names of its kind. */
export interface UserKeys {
  readonly emailKey: string | null;
  readonly usernameKey: string | null;
}

/** One attempt at a secret of a user, counted before it is checked. */
export interface CountedAttempt {
  readonly accountId: number;
  readonly userId: number;
  readonly now: Milliseconds;
  /** The number in a row that closes it. */
  readonly maximum: number;
  /** Until when it is closed then. */
  readonly lockedUntil: Milliseconds;
}

/** A user to be created, without counts, holds or details by default. */
type NewUserRecord = Omit<
  New<UserRecord>,
  'meansVersion' | 'emailHeldUntil' | 'emailWrittenAt' | 'signedOutAt' | 'verifiedEmail'
> &
  Partial<Pick<UserRecord, 'emailHeldUntil' | 'verifiedEmail'>>;

/** What can be changed of a user. */
export type UserUpdate = Partial<
  Omit<UserRecord, 'accountId' | 'id' | 'createdAt' | 'meansVersion'> & UserKeys & UserDetails
>;

export interface UserStore {
  /** In order. Throws `conflict` with name `email` or `username`, and creates none then. */
  createAll(users: readonly (NewUserRecord & UserKeys & Partial<UserDetails>)[]): Promise<UserRecord[]>;
  find(accountId: number, id: number): Promise<UserRecord | null>;
  findDetailed(accountId: number, id: number): Promise<DetailedUser | null>;
  /**
   * Like `find`, but nobody can change or remove the user until the transaction ends. A transaction that changes
   * several of a user's rows calls this first, so that no two wait for each other.
   */
  lock(accountId: number, id: number): Promise<UserRecord | null>;
  /** By folded e-mail or folded username; an e-mail match wins. */
  findByName(accountId: number, key: string): Promise<UserRecord | null>;
  findByEmail(accountId: number, emailKey: string): Promise<UserRecord | null>;
  /** In order: who has the folded e-mail address or, where none is given, the folded user name; null for nobody. */
  idsByNames(accountId: number, names: readonly UserKeys[]): Promise<(number | null)[]>;
  list(accountId: number): Promise<UserRecord[]>;
  /**
   * Fields: `id`, the texts `email` and `username` (folded), `firstname`, `lastname`, `title`, `department`, `company`,
   * `phone`, `external_id`, the numbers `group_id`, `manager_user_id`, `policy_id`, `status`, `state`, the times
   * `created_at`, `updated_at`, `last_login`; `role`, `administered_role` and `app` by `in`; `other_role` and
   * `other_administered_role` for users who do not have it; `custom_attribute` by `of`; `person` by any name, with the
   * text as typed and folded.
   */
  page(accountId: number, query: ListQuery): Promise<ListPage<DetailedUser>>;
  /**
   * Changes the given members; null when there is no such user. A change of e-mail address, user name, password digest
   * or status increments `meansVersion`. Throws `conflict` as `createAll` does.
   */
  update(accountId: number, id: number, changes: UserUpdate): Promise<UserRecord | null>;
  /**
   * Removes the user with memberships, access, sessions, codes, consents and tokens, and as a manager of others; false
   * when there is none. Many rows are cleared later (`Clearing`): they cannot be found, and no token among them works.
   */
  remove(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /**
   * Counts one password attempt before the hash is computed (one conditional UPDATE). Null: sign-in by password is
   * closed (`lockedUntil` in the future) and nothing was counted. A pause that has passed restarts the count; the
   * `maximum`-th attempt in a row, `last`, sets `lockedUntil`.
   */
  countAttempt(attempt: CountedAttempt): Promise<'counted' | 'last' | null>;
  /**
   * As much work as `countAttempt`, with one durable write of the account's own row, for an unknown name and for a
   * closed sign-in: the time of a refusal must not reveal which it was.
   */
  countDecoyAttempt(accountId: number): Promise<void>;
  /** After a right password: resets the count and ends the pause. */
  clearAttempts(accountId: number, userId: number): Promise<void>;
  /** Stores the same password in a better form: false when the stored digest is no longer `from`. */
  replaceDigest(accountId: number, userId: number, from: string, to: string): Promise<boolean>;
}
