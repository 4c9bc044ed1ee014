/** Members that the details of several actions have. */

/** Names of changed members or settings, without their values. */
export interface Changed {
  readonly fields: readonly string[];
  /**
   * Number of grants revoked with it, if any. When access to apps with many grants is lost, only those revoked in the
   * same transaction are counted; the others are dead as well.
   */
  readonly grants_revoked?: number;
}

/** `clients_told`: the number of clients that are notified. */
export type EndedSession = { readonly grants_revoked: number; readonly clients_told: number };

export type Nothing = Readonly<Record<never, never>>;

/** UUIDs of the wire; the target has the numeric id. */
export interface HookDetail {
  readonly hook_id: string;
}
export interface VariableDetail {
  readonly variable_id: string;
}

/** Devices of a user, who is the target. */
export interface DeviceDetail {
  readonly device_id: number;
}
export interface FactorDetail extends DeviceDetail {
  readonly factor_id: number;
}

/** Parts of an API authorization server, which is the target. */
export interface ScopeDetail {
  readonly scope_id: number;
}
export interface ClaimDetail {
  readonly claim_id: number;
}
export interface LinkDetail {
  readonly app_id: number;
  readonly scope_ids: readonly number[];
}

/** Users or administrators of a role, which is the target. */
export interface MembersDetail {
  readonly link: 'users' | 'admins';
  readonly user_ids: readonly number[];
}

export type AssigneeDetail = { readonly user_id: number } | { readonly role_id: number };
