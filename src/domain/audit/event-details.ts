/** What the trail tells of each action, beside who did it and to what. */

/** Names of members or settings that were set, without their values. */
interface Changed {
  readonly fields: readonly string[];
  /**
   * Grants that were revoked with it, where there were any; where access to apps with many grants is lost, those that
   * were revoked in the same transaction: the others are dead as well, and not counted yet.
   */
  readonly grants_revoked?: number;
}

/** `clients_told`: how many are told that it ended. */
type EndedSession = { readonly grants_revoked: number; readonly clients_told: number };

type Nothing = Readonly<Record<never, never>>;

/** A sign-in to no app of the account: another program asked for it with an API key, a link led to it, or it was to the account pages. */
interface WithoutApp {
  readonly method: 'delegated' | 'invite' | 'reset' | 'account';
}

/** Every action with what is told of it beside actor and target. */
export interface EventDetails {
  /** `methods`: how the user showed who they are, as `amr` says it (RFC 8176). */
  'sign_in.succeeded': ({ readonly app_id: number } | WithoutApp) & { readonly methods: readonly string[] };
  'sign_in.failed': { readonly reason: 'unknown_user' | 'wrong_password' | 'wrong_passkey' | 'closed' };
  /** The password was right; the user's standing was not. */
  'sign_in.refused': { readonly reason: string } & ({ readonly app_id: number } | WithoutApp);
  /** Too many wrong passwords in a row: closed for a time. */
  'sign_in.closed': { readonly attempts: number };
  'mfa.registered': FactorDetail;
  'mfa.enrolled': FactorDetail;
  'mfa.renamed': DeviceDetail;
  'mfa.removed': DeviceDetail;
  'mfa.verification_started': DeviceDetail;
  'mfa.verified': DeviceDetail;
  'mfa.failed': { readonly reason: 'wrong_code' | 'wrong_passkey' | 'closed' };
  /** Too many wrong codes in a row: closed for a time. */
  'mfa.closed': { readonly attempts: number };
  'mfa.recovery_code_used': { readonly left: number };
  'mfa.recovery_codes_renewed': { readonly count: number };
  /** The user ended the session of a browser; `app_id` is the app that asked for it. */
  'sign_out.succeeded': { readonly app_id: number | null } & EndedSession;
  /** By the user elsewhere, by who signed in over it, or for a newer one. `session_id` is null without a row. */
  'session.ended': { readonly session_id: number | null } & EndedSession;
  /** The user ended all of their sessions, or all but the one that this was done in. */
  'session.all_ended': { readonly kept_own: boolean } & EndedSession;
  /** A client could not be told that a session ended. */
  'logout_notice.abandoned': { readonly attempts: number };
  'consent.allowed': { readonly user_id: number; readonly scope: readonly string[] };
  'consent.denied': { readonly user_id: number };
  /** The user let a device of the app in that shows a code; its tokens follow when it asks. */
  'device.allowed': { readonly user_id: number; readonly scope: readonly string[] };
  'device.denied': { readonly user_id: number };
  'device.code_refused': Nothing;
  /** The user took back what an app, the target, was allowed; its grants ended. */
  'consent.withdrawn': { readonly user_id: number; readonly grants_revoked: number };
  'grant.issued': Pick<Changed, 'grants_revoked'> & {
    readonly method: 'authorization_code' | 'implicit' | 'password' | 'device_code';
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
  /** `subject_*`: the token that was shown, and the app it was issued to. */
  'access_token.exchanged': {
    readonly app_id: number;
    readonly user_id: number | null;
    readonly subject_token_id: number;
    readonly subject_app_id: number;
    readonly scope: readonly string[];
  };
  'access_token.revoked': { readonly app_id: number };
  'credential_token.revoked': { readonly credential_id: number };
  /** A client that anyone registered, and that was not used for so long. */
  'app.expired': { readonly reason: 'unused' | 'idle'; readonly days: number };
  'app.registered': { readonly registered_by: 'token' | 'open' };
  'signing_key.published': { readonly kid: string; readonly alg: string; readonly emergency: boolean };
  'signing_key.removed': { readonly count: number };
  'account.created': Nothing;
  'account.changed': Changed;
  'user.created': Changed;
  'user.changed': Changed;
  'user.unlocked': Nothing;
  'user.removed': Nothing;
  /** Reads are told of where they are made with an API key. */
  'user.read': Nothing;
  'user.listed': { readonly count: number };
  /** A link was made with which the user chooses a password. */
  'invite.created': Nothing;
  'invite.used': Nothing;
  /** A link was made for a user who asked for it. */
  'password_reset.created': Nothing;
  /** No link was made for who was asked for: for nobody, or for somebody who gets none. */
  'password_reset.refused': { readonly reason: 'unknown_user' | 'no_email' | 'not_active' | 'held' | 'too_many' };
  /** The message could not be sent. */
  'password_reset.abandoned': { readonly attempts: number };
  'password_reset.used': Nothing;
  'custom_attribute.created': Nothing;
  'custom_attribute.changed': Changed;
  'custom_attribute.removed': Nothing;
  'role.created': Changed;
  'role.changed': Changed;
  /** Of many grants those that were revoked at once, as for `Changed`. */
  'role.removed': { readonly grants_revoked: number };
  'role.members_added': MembersDetail;
  'role.members_removed': MembersDetail & { readonly grants_revoked: number };
  /**
   * A user has a role, or has it no longer, by whatever was done; that has an event of its own, which counts the grants
   * that ended. Where the user or the role itself was removed, that event alone tells of it.
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
  /** A call with a key in force that was refused; its reason as the domain names it. */
  'api_key.refused': { readonly operation: string; readonly reason: string };
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
  'hook_variable.created': VariableDetail;
  'hook_variable.changed': VariableDetail & Changed;
  'hook_variable.removed': VariableDetail;
  'hook.created': HookDetail & Changed;
  'hook.changed': HookDetail & Changed;
  'hook.removed': HookDetail;
  /** The version that ran before is the newest again. */
  'hook.rolled_back': HookDetail & { readonly version: number };
  'hook.shadow_set': HookDetail & { readonly shadow: 'on' | 'off' };
  'hook.replayed': HookDetail & { readonly execution_id: string };
  /** The policy that it chose for one sign-in of this user. */
  'hook.policy_chosen': HookDetail & { readonly user_id: number; readonly policy_id: number };
  /** It let the user not sign in. */
  'hook.sign_in_refused': HookDetail & { readonly user_id: number };
  /** All its runs failed; what the account's setting made of it. */
  'hook.failed': HookDetail & {
    readonly reason: string;
    readonly user_id: number | null;
    readonly sign_in: 'denied' | 'continued';
  };
  /** It knew who signed in, and the account has the user since. */
  'user.migrated': HookDetail;
}

/** UUIDs of the wire; the target has the number that the account counts. */
interface HookDetail {
  readonly hook_id: string;
}
interface VariableDetail {
  readonly variable_id: string;
}

/** Devices of a user, who is the target. */
interface DeviceDetail {
  readonly device_id: number;
}
interface FactorDetail extends DeviceDetail {
  readonly factor_id: number;
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

/** Users or administrators of a role, which is the target. */
interface MembersDetail {
  readonly link: 'users' | 'admins';
  readonly user_ids: readonly number[];
}

type AssigneeDetail = { readonly user_id: number } | { readonly role_id: number };
