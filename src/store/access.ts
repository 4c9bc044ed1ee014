import type { Milliseconds } from './time.ts';

/** Who may use an app: a user directly, or everyone with a role. */
export type Assignee = { readonly userId: number } | { readonly roleId: number };

/** Who may have lost access: up to a few hundred users, in any app, or any users of one app. */
export type AccessLoss = { readonly userIds: readonly number[] } | { readonly appId: number };

export interface AccessStore {
  /** False when it was assigned already. Throws `not_found` for an unknown app, user or role. */
  grant(accountId: number, appId: number, assignee: Assignee, at: Milliseconds): Promise<boolean>;
  /** The same for many roles, some of which may be assigned already. Throws `not_found` as `grant` does. */
  grantRoles(accountId: number, appId: number, roleIds: readonly number[], at: Milliseconds): Promise<void>;
  revokeRoles(accountId: number, appId: number, roleIds: readonly number[]): Promise<void>;
  /** False when it was not assigned. */
  revoke(accountId: number, appId: number, assignee: Assignee): Promise<boolean>;
  /** Inside a transaction, the rows behind a positive answer cannot be removed until it ends. */
  isAssigned(accountId: number, appId: number, userId: number): Promise<boolean>;
  /**
   * Ends the grants and everything in flight of users who may no longer use these apps; part of the transaction that
   * removed the access. Returns how many grants were revoked so far. The others are dead and are revoked later
   * (`Clearing`); they stay dead when the access is given again.
   */
  endLost(accountId: number, appIds: readonly number[], at: Milliseconds): Promise<number>;
  /** The roles that give access to each of these apps, ascending. */
  rolesOf(accountId: number, appIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
}
