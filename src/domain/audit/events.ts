/** Everything that the trail tells of: numbers, words of this program and scopes of the account. Never a name, a secret or a text that was sent. */

import type { Actor } from './origin.ts';

export type TargetType =
  | 'account'
  | 'user'
  | 'role'
  | 'custom_attribute'
  | 'app'
  | 'grant'
  | 'access_token'
  | 'signing_key'
  | 'credential'
  | 'credential_token'
  | 'api_key'
  | 'policy'
  | 'api_authorization';

/** What it was done to. `id` is null for what has no number, or is not there. */
export interface Target {
  readonly type: TargetType;
  readonly id: number | null;
}

/** Names of members or settings that were set, without their values. */
interface Changed {
  readonly fields: readonly string[];
  /** Grants that ended with it, where there were any. */
  readonly grants_revoked?: number;
}

type Nothing = Readonly<Record<never, never>>;

/** Every action with what is told of it beside actor and target. */
export interface EventDetails {
  'sign_in.succeeded': { readonly app_id: number };
  'sign_in.failed': { readonly reason: 'unknown_user' | 'wrong_password' | 'closed' };
  /** The password was right; the user's standing was not. */
  'sign_in.refused': { readonly reason: string; readonly app_id: number };
  /** Too many wrong passwords in a row: closed for a time. */
  'sign_in.closed': { readonly attempts: number };
  'consent.allowed': { readonly user_id: number; readonly scope: readonly string[] };
  'consent.denied': { readonly user_id: number };
  'grant.issued': {
    readonly method: 'authorization_code' | 'password';
    readonly user_id: number;
    readonly app_id: number;
    readonly scope: readonly string[];
  };
  'grant.revoked': { readonly reason: 'revoked_by_client' | 'code_replayed' };
  'refresh.refused': { readonly reason: string };
  /** The direct predecessor again, within the grace: it got the same successor. */
  'refresh.repeated': { readonly user_id: number };
  /** An older token of the family: the grant is revoked. */
  'refresh.reused': { readonly reason: 'refresh_token_reused' };
  'access_token.revoked': { readonly app_id: number };
  'credential_token.revoked': { readonly credential_id: number };
  'app.registered': { readonly registered_by: 'token' | 'open' };
  'signing_key.published': { readonly kid: string; readonly alg: string; readonly emergency: boolean };
  'signing_key.removed': { readonly count: number };
  'account.created': Nothing;
  'account.changed': Changed;
  'user.created': Changed;
  'user.changed': Changed;
  'user.unlocked': Nothing;
  'user.removed': Nothing;
  'custom_attribute.created': Nothing;
  'custom_attribute.changed': Changed;
  'custom_attribute.removed': Nothing;
  'role.created': Nothing;
  'role.assigned': { readonly role_id: number };
  'role.withdrawn': { readonly role_id: number; readonly grants_revoked: number };
  'access.granted': AssigneeDetail;
  'access.revoked': AssigneeDetail & { readonly grants_revoked: number };
  'credential.created': { readonly scopes: readonly string[] };
  'credential.revoked': Nothing;
  'api_key.created': Nothing;
  'api_key.revoked': Nothing;
  'policy.created': Changed;
  'policy.changed': Changed;
  'policy.removed': Nothing;
  'policy.assigned': { readonly policy_id: number | null };
  'api_authorization.created': Changed;
  'api_authorization.changed': Changed;
  'api_authorization.removed': { readonly grants_revoked: number };
  'api_scope.created': ScopeDetail;
  'api_scope.changed': ScopeDetail & Changed;
  'api_scope.removed': ScopeDetail;
  'api_claim.created': ClaimDetail;
  'api_claim.changed': ClaimDetail & Changed;
  'api_claim.removed': ClaimDetail;
  'api_client.linked': LinkDetail;
  'api_client.changed': LinkDetail;
  'api_client.unlinked': { readonly app_id: number; readonly grants_revoked: number };
}

/** Parts of an API authorization server, which is the target. */
interface ScopeDetail {
  readonly scope_id: number;
}
interface ClaimDetail {
  readonly claim_id: number;
}
interface LinkDetail {
  readonly app_id: number;
  readonly scope_ids: readonly number[];
}

type AssigneeDetail = { readonly user_id: number } | { readonly role_id: number };

export type Action = keyof EventDetails;

/** Every action there is, and whether it was done or refused. */
export const outcomes = {
  'sign_in.succeeded': 'success',
  'sign_in.failed': 'refused',
  'sign_in.refused': 'refused',
  'sign_in.closed': 'success',
  'consent.allowed': 'success',
  'consent.denied': 'success',
  'grant.issued': 'success',
  'grant.revoked': 'success',
  'refresh.refused': 'refused',
  'refresh.repeated': 'success',
  'refresh.reused': 'refused',
  'access_token.revoked': 'success',
  'credential_token.revoked': 'success',
  'app.registered': 'success',
  'signing_key.published': 'success',
  'signing_key.removed': 'success',
  'account.created': 'success',
  'account.changed': 'success',
  'user.created': 'success',
  'user.changed': 'success',
  'user.unlocked': 'success',
  'user.removed': 'success',
  'custom_attribute.created': 'success',
  'custom_attribute.changed': 'success',
  'custom_attribute.removed': 'success',
  'role.created': 'success',
  'role.assigned': 'success',
  'role.withdrawn': 'success',
  'access.granted': 'success',
  'access.revoked': 'success',
  'credential.created': 'success',
  'credential.revoked': 'success',
  'api_key.created': 'success',
  'api_key.revoked': 'success',
  'policy.created': 'success',
  'policy.changed': 'success',
  'policy.removed': 'success',
  'policy.assigned': 'success',
  'api_authorization.created': 'success',
  'api_authorization.changed': 'success',
  'api_authorization.removed': 'success',
  'api_scope.created': 'success',
  'api_scope.changed': 'success',
  'api_scope.removed': 'success',
  'api_claim.created': 'success',
  'api_claim.changed': 'success',
  'api_claim.removed': 'success',
  'api_client.linked': 'success',
  'api_client.changed': 'success',
  'api_client.unlinked': 'success',
} as const satisfies Record<Action, 'success' | 'refused'>;

interface EventOf<Name extends Action> {
  readonly action: Name;
  readonly target: Target;
  readonly detail: EventDetails[Name];
  /** Where the request itself does not say who acts: a client, a user. */
  readonly actor?: Actor;
}

/** An event as a rule of the domain tells it. */
export type AuditEvent = { readonly [Name in Action]: EventOf<Name> }[Action];

/** The names of the members that are given, for `fields`, as the wire writes them. */
export function setFields(members: object): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)],
  );
}
