import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** Rules for passwords, lockout and sessions. One of an account's policies is its default. */
export interface PolicyRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly isDefault: boolean;
  /** Minimum length of a new password. */
  readonly minimumPasswordLength: number;
  /** Number of wrong passwords in a row that closes sign-in by password. */
  readonly maximumInvalidLoginAttempts: number;
  /** For how long it is closed then. */
  readonly lockEffectiveMinutes: number;
  /** Idle time after which a session ends. */
  readonly sessionTimeoutMinutes: number;
  /** Time after which a session ends even if it is used. */
  readonly sessionAbsoluteMinutes: number;
  /** Number of days after which a password has to be replaced at sign-in; null: never. */
  readonly passwordExpirationDays: number | null;
  readonly otpRequired: boolean;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** Who may have a policy of their own. */
export type Follower = { readonly userId: number } | { readonly roleId: number } | { readonly appId: number };

/** The policies that a user follows in every app. */
export interface Followed {
  /** The user's own. */
  readonly own: number | null;
  /** That of the first assigned of their roles that name one. */
  readonly ofRole: number | null;
}

/** Every account has exactly one default policy, created with it. */
export interface PolicyStore {
  /** Throws `conflict`, with name `name` where the name is taken; a second default is one as well. */
  create(policy: New<PolicyRecord>): Promise<PolicyRecord>;
  find(accountId: number, id: number): Promise<PolicyRecord | null>;
  /** All of the account, oldest first. */
  list(accountId: number): Promise<PolicyRecord[]>;
  /** Changes the given members; null when there is no such policy. Throws `conflict` as `create` does. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Omit<PolicyRecord, 'accountId' | 'id' | 'createdAt'>>,
  ): Promise<PolicyRecord | null>;
  /** False when there is none. Throws `conflict` with name `policy` while a user, a role or a client uses it. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Sets the policy of a user, a role or a client, null for none; false when there is no such user, role or client. */
  assign(accountId: number, follower: Follower, policyId: number | null): Promise<boolean>;
  followedBy(accountId: number, userId: number): Promise<Followed>;
  /** What `list` and `followedBy` answer. */
  listFollowed(accountId: number, userId: number): Promise<Followed & { readonly policies: PolicyRecord[] }>;
  /** All of the account. Fields: `id`, `name`, `created_at`, `updated_at`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<PolicyRecord>>;
}
