import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** Rules for the users who follow it: passwords, lockout, sessions. One of an account's policies is its default. */
export interface PolicyRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly isDefault: boolean;
  /** Characters that a new password has at least. */
  readonly minimumPasswordLength: number;
  /** Wrong passwords in a row that close sign-in by password. */
  readonly maximumInvalidLoginAttempts: number;
  /** For how long it is closed then. */
  readonly lockEffectiveMinutes: number;
  /** How long a session lasts that is not used. */
  readonly sessionTimeoutMinutes: number;
  /** How long a session lasts however often it is used. */
  readonly sessionAbsoluteMinutes: number;
  /** After how many days a password has to be replaced at sign-in; null: never. */
  readonly passwordExpirationDays: number | null;
  readonly otpRequired: boolean;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** Who may follow a policy. */
export type Follower = { readonly userId: number } | { readonly roleId: number } | { readonly appId: number };

/** Every account has exactly one default policy, made with it. */
export interface PolicyStore {
  /** Throws `conflict`, with name `name` where the name is taken; a second default is one as well. */
  create(policy: New<PolicyRecord>): Promise<PolicyRecord>;
  find(accountId: number, id: number): Promise<PolicyRecord | null>;
  /** All of the account, oldest first. */
  list(accountId: number): Promise<PolicyRecord[]>;
  /** Changes the members given; null when there is no such policy. Throws `conflict` as `create` does. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Omit<PolicyRecord, 'accountId' | 'id' | 'createdAt'>>,
  ): Promise<PolicyRecord | null>;
  /** False when there is none. Throws `conflict` with name `policy` while a user, a role or a client follows it. */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Says which policy a user, a role or a client follows, null for none; false when there is no such follower. */
  assign(accountId: number, follower: Follower, policyId: number | null): Promise<boolean>;
  /** What is said of a user: their own policy, and that of the first assigned of their roles that name one. */
  followedBy(
    accountId: number,
    userId: number,
  ): Promise<{ readonly own: number | null; readonly ofRole: number | null }>;
  /** All of the account. Fields: `id`, `name`, `created_at`, `updated_at`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<PolicyRecord>>;
}
