/** The details of each action in the trail, besides actor and target. */

import type {
  AssigneeDetail,
  Changed,
  ClaimDetail,
  DeviceDetail,
  EndedSession,
  FactorDetail,
  HookDetail,
  LinkDetail,
  MembersDetail,
  Nothing,
  ScopeDetail,
  VariableDetail,
} from './detail-shapes.ts';

/**
 * A sign-in that is not to an app of the account: requested by another program with an API key, begun by a link, or to
 * the account pages.
 */
interface WithoutApp {
  readonly method: 'delegated' | 'invite' | 'reset' | 'account';
}

/** Where somebody signs in to: an app; a client that has no app yet, by the address of its metadata document; none. */
type SignInTarget = { readonly app_id: number } | { readonly client_id: string } | WithoutApp;

/** Every action with its details. */
export interface EventDetails {
  /** `methods`: how the user authenticated, as in `amr` (RFC 8176). */
  'sign_in.succeeded': SignInTarget & { readonly methods: readonly string[] };
  'sign_in.failed': { readonly reason: 'unknown_user' | 'wrong_password' | 'wrong_passkey' | 'closed' };
  /** The first factor was right, but the user's standing was not, or more was needed. `methods`: as above, so far. */
  'sign_in.refused': { readonly reason: string; readonly methods: readonly string[] } & SignInTarget;
  /** Too many wrong passwords in a row: closed for some time. */
  'sign_in.closed': { readonly attempts: number };
  /** A client's request, before anybody signed in. `told`: who sees the error. `address`: what it began with. */
  'authorization.refused': {
    readonly reason: string;
    readonly told: 'user' | 'client';
    readonly address: string | null;
  };
  'mfa.registered': FactorDetail;
  'mfa.enrolled': FactorDetail;
  'mfa.renamed': DeviceDetail;
  'mfa.removed': DeviceDetail;
  'mfa.verification_started': DeviceDetail;
  'mfa.verified': DeviceDetail;
  'mfa.failed': { readonly reason: 'wrong_code' | 'wrong_passkey' | 'closed' };
  /** Too many wrong codes in a row: closed for some time. */
  'mfa.closed': { readonly attempts: number };
  'mfa.recovery_code_used': { readonly left: number };
  'mfa.recovery_codes_renewed': { readonly count: number };
  /** The user ended the session of a browser; `app_id` is the app that asked for it. */
  'sign_out.succeeded': { readonly app_id: number | null } & EndedSession;
  /** By the user elsewhere, by an operator, by who signed in over it, or for a newer one. `session_id` is null without a row. */
  'session.ended': { readonly session_id: number | null } & EndedSession;
  /** The user, or an operator, ended all of the user's sessions; or the user all except the current one. */
  'session.all_ended': { readonly kept_own: boolean } & EndedSession;
  /** A client could not be notified that a session ended. */
  'logout_notice.abandoned': { readonly attempts: number };
  'consent.allowed': { readonly user_id: number; readonly scope: readonly string[] };
  /** `client_id`: of a client that has no app yet, the address of its metadata document. The user is the target then. */
  'consent.denied': { readonly user_id: number; readonly client_id?: string };
  /** The user approved a device that shows a code; its tokens are recorded when it asks for them. */
  'device.allowed': { readonly user_id: number; readonly scope: readonly string[] };
  'device.denied': { readonly user_id: number };
  'device.code_refused': Nothing;
  /** The user, or an operator, withdrew the consent for an app, the target; its grants ended. */
  'consent.withdrawn': { readonly user_id: number; readonly grants_revoked: number };
  'grant.issued': Pick<Changed, 'grants_revoked'> & {
    readonly method: 'authorization_code' | 'implicit' | 'password' | 'device_code';
    readonly user_id: number;
    readonly app_id: number;
    readonly scope: readonly string[];
  };
  /** `grants_revoked`: an operator ended all grants of a user, who is the target then. */
  'grant.revoked': Pick<Changed, 'grants_revoked'> & {
    readonly reason: 'revoked_by_client' | 'code_replayed' | 'revoked_by_operator';
  };
  'refresh.refused': { readonly reason: string };
  /** The immediate predecessor was used again within the grace period; it got the same successor. */
  'refresh.repeated': { readonly user_id: number };
  /** An older token of the family: the grant is revoked. */
  'refresh.reused': { readonly reason: 'refresh_token_reused' };
  /** `subject_*`: the presented token, and the app it was issued to. */
  'access_token.exchanged': {
    readonly app_id: number;
    readonly user_id: number | null;
    readonly subject_token_id: number;
    readonly subject_app_id: number;
    readonly scope: readonly string[];
  };
  'access_token.revoked': { readonly app_id: number };
  'credential_token.revoked': { readonly credential_id: number };
  /** An open-registered client that was not used for that long. */
  'app.expired': { readonly reason: 'unused' | 'idle'; readonly days: number; readonly client_id: string };
  'app.registered': { readonly registered_by: 'token' | 'open' | 'document' };
  'signing_key.published': { readonly kid: string; readonly alg: string; readonly emergency: boolean };
  'signing_key.removed': { readonly count: number };
  'account.created': Nothing;
  'account.changed': Changed;
  'user.created': Changed;
  /** `administrator_scopes`: those that the user has at the management API from now on. */
  'user.changed': Changed & { readonly administrator_scopes?: readonly string[] };
  'user.unlocked': Nothing;
  'user.removed': Nothing;
  /** Reads are recorded if they are made with an API key. */
  'user.read': Nothing;
  'user.listed': { readonly count: number };
  /** A link was created with which the user chooses a password. */
  'invite.created': Nothing;
  'invite.used': Nothing;
  /** A link was created for a user who asked for it. */
  'password_reset.created': Nothing;
  /** No link was created: the name is unknown, or its user gets no links. */
  'password_reset.refused': { readonly reason: 'unknown_user' | 'no_email' | 'not_active' | 'held' | 'too_many' };
  /** The message could not be sent. */
  'password_reset.abandoned': { readonly attempts: number };
  'password_reset.used': Nothing;
  'custom_attribute.created': Nothing;
  'custom_attribute.changed': Changed;
  'custom_attribute.removed': Nothing;
  'role.created': Changed;
  'role.changed': Changed;
  /** When there are many grants, only those revoked at once, as for `Changed`. */
  'role.removed': { readonly grants_revoked: number };
  'role.members_added': MembersDetail;
  'role.members_removed': MembersDetail & { readonly grants_revoked: number };
  /**
   * A user got or lost a role, by whatever change; that change has an event of its own, which counts the grants that
   * ended. If the user or the role was removed, only the event of the removal is recorded.
   */
  'role.assigned': { readonly role_id: number };
  'role.withdrawn': { readonly role_id: number };
  'app.created': Changed;
  'app.changed': Changed;
  'app.removed': Nothing;
  'app.secret_rotated': { readonly overlap_minutes: number };
  'access.granted': AssigneeDetail;
  'access.revoked': AssigneeDetail & { readonly grants_revoked: number };
  'credential.created': { readonly scopes: readonly string[] };
  'credential.revoked': Nothing;
  /** A refused call with a valid key, and the domain's reason. */
  'api_key.refused': { readonly operation: string; readonly reason: string };
  'api_key.created': Nothing;
  'api_key.revoked': Nothing;
  'policy.created': Changed;
  'policy.changed': Changed;
  'policy.removed': Nothing;
  'policy.assigned': { readonly policy_id: number | null };
  'api_authorization.created': Changed;
  'api_authorization.changed': Changed & { readonly grants_revoked?: number };
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
  'hook_variable.created': VariableDetail;
  'hook_variable.changed': VariableDetail & Changed;
  'hook_variable.removed': VariableDetail;
  'hook.created': HookDetail & Changed;
  'hook.changed': HookDetail & Changed;
  'hook.removed': HookDetail;
  /** The previous version is the newest again. */
  'hook.rolled_back': HookDetail & { readonly version: number };
  'hook.shadow_set': HookDetail & { readonly shadow: 'on' | 'off' };
  'hook.replayed': HookDetail & { readonly execution_id: string };
  /** The policy that it chose for a sign-in of this user. */
  'hook.policy_chosen': HookDetail & { readonly user_id: number; readonly policy_id: number };
  /** It refused the sign-in. */
  'hook.sign_in_refused': HookDetail & { readonly user_id: number };
  /** All its runs failed; the effect depends on the account's setting. */
  'hook.failed': HookDetail & {
    readonly reason: string;
    readonly user_id: number | null;
    readonly sign_in: 'denied' | 'continued';
  };
  /** It knew the user, who was then created in the account. */
  'user.migrated': HookDetail;
}
