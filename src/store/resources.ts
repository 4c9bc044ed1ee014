/** Resources of whatever kind, as conditional writes see them. */

/** What has a row of its own and can be read by its key. */
export type ResourceKind =
  | 'user'
  | 'app'
  | 'role'
  | 'role_policy'
  | 'attribute'
  | 'api'
  | 'policy'
  | 'hook'
  | 'variable'
  | 'setting'
  | 'administrator';

export interface ResourceStore {
  /**
   * Whether there is such a resource. Until the end of the transaction nobody else changes or removes it, or the links
   * that are shown with it; waits for those that are doing so. `key`: its number, or the UUID of a hook or a variable.
   * All settings are in the account's own row, so the key of one does not matter. A role's policy is in the row of the
   * role, and has none of its links.
   */
  findLocked(accountId: number, kind: ResourceKind, key: string): Promise<boolean>;
}
