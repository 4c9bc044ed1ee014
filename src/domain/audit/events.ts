/**
 * All events of the trail: they contain numbers, fixed words and the account's scopes, never a name, a secret or a text
 * that was sent, except for the redirect URI of a request that was refused.
 */

import type { Actor } from './context.ts';
import type { EventDetails } from './event-details.ts';

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
  | 'api_authorization'
  | 'hook'
  | 'hook_variable';

/** The target of an action. `id` is null if it has no number or does not exist. */
export interface Target {
  readonly type: TargetType;
  readonly id: number | null;
}

export type Action = keyof EventDetails;

/** Every action and its outcome: done or refused. */
export const outcomes = {
  'sign_in.succeeded': 'success',
  'sign_in.failed': 'refused',
  'sign_in.refused': 'refused',
  'sign_in.closed': 'success',
  'authorization.refused': 'refused',
  'mfa.registered': 'success',
  'mfa.enrolled': 'success',
  'mfa.renamed': 'success',
  'mfa.removed': 'success',
  'mfa.verification_started': 'success',
  'mfa.verified': 'success',
  'mfa.failed': 'refused',
  'mfa.closed': 'success',
  'mfa.recovery_code_used': 'success',
  'mfa.recovery_codes_renewed': 'success',
  'sign_out.succeeded': 'success',
  'session.ended': 'success',
  'session.all_ended': 'success',
  'logout_notice.abandoned': 'refused',
  'consent.allowed': 'success',
  'consent.denied': 'success',
  'device.allowed': 'success',
  'device.denied': 'success',
  'device.code_refused': 'refused',
  'consent.withdrawn': 'success',
  'grant.issued': 'success',
  'grant.revoked': 'success',
  'refresh.refused': 'refused',
  'refresh.repeated': 'success',
  'refresh.reused': 'refused',
  'access_token.exchanged': 'success',
  'access_token.revoked': 'success',
  'credential_token.revoked': 'success',
  'app.registered': 'success',
  'app.expired': 'success',
  'signing_key.published': 'success',
  'signing_key.removed': 'success',
  'account.created': 'success',
  'account.changed': 'success',
  'user.created': 'success',
  'user.changed': 'success',
  'user.unlocked': 'success',
  'user.removed': 'success',
  'user.read': 'success',
  'user.listed': 'success',
  'invite.created': 'success',
  'invite.used': 'success',
  'password_reset.created': 'success',
  'password_reset.refused': 'refused',
  'password_reset.abandoned': 'refused',
  'password_reset.used': 'success',
  'custom_attribute.created': 'success',
  'custom_attribute.changed': 'success',
  'custom_attribute.removed': 'success',
  'role.created': 'success',
  'role.changed': 'success',
  'role.removed': 'success',
  'role.members_added': 'success',
  'role.members_removed': 'success',
  'role.assigned': 'success',
  'role.withdrawn': 'success',
  'app.created': 'success',
  'app.changed': 'success',
  'app.removed': 'success',
  'app.secret_rotated': 'success',
  'access.granted': 'success',
  'access.revoked': 'success',
  'credential.created': 'success',
  'credential.revoked': 'success',
  'api_key.refused': 'refused',
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
  'hook_variable.created': 'success',
  'hook_variable.changed': 'success',
  'hook_variable.removed': 'success',
  'hook.created': 'success',
  'hook.changed': 'success',
  'hook.removed': 'success',
  'hook.rolled_back': 'success',
  'hook.shadow_set': 'success',
  'hook.replayed': 'success',
  'hook.policy_chosen': 'success',
  'hook.sign_in_refused': 'refused',
  'hook.failed': 'refused',
  'user.migrated': 'success',
} as const satisfies Record<Action, 'success' | 'refused'>;

interface EventOf<Name extends Action> {
  readonly action: Name;
  readonly target: Target;
  readonly detail: EventDetails[Name];
  /** Set if the request itself does not identify the actor: a client, a user. */
  readonly actor?: Actor;
}

/** An event as the domain reports it. */
export type AuditEvent = { readonly [Name in Action]: EventOf<Name> }[Action];

/** The names of the given members, for `fields`, as on the wire. */
export function setFields(members: object): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)],
  );
}
