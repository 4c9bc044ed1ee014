import type { Milliseconds } from './time.ts';

/** Who may use an app: users directly, or through a role. */
export type Assignee = { readonly userId: number } | { readonly roleId: number };

/** Who may have lost access: a few hundred users at most, to whichever app, or whichever user of one app. */
export type AccessLoss = { readonly userIds: readonly number[] } | { readonly appId: number };

export interface AccessStore {
  /** Idempotent. Throws `not_found` where there is no such app, user or role. */
  grant(accountId: number, appId: number, assignee: Assignee, at: Milliseconds): Promise<void>;
  /** False when it was not assigned. */
  revoke(accountId: number, appId: number, assignee: Assignee): Promise<boolean>;
  /** In a transaction nobody takes away, until its end, what a yes rests on. */
  isAssigned(accountId: number, appId: number, userId: number): Promise<boolean>;
  /**
   * Ends the grants and all that is in flight of users who may not use these apps any more; part of the transaction
   * that took the access away. Answers how many grants were revoked until now. Others are dead and revoked later
   * (`Clearing`), and stay dead when the access is given again.
   */
  endLost(accountId: number, appIds: readonly number[], at: Milliseconds): Promise<number>;
  /** Roles that give each of these apps, ascending. */
  rolesOf(accountId: number, appIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
}
