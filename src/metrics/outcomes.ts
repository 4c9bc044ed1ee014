/** Outcomes as metrics tell them apart, from what the domain and the store say. */

import type { EventDetails } from '../domain/audit/event-details.ts';
import { isOfLink } from '../domain/login/methods.ts';
import type { RefusedReason } from '../domain/login/refused-request.ts';
import type { ConsumptionOutcome, ConsumptionRefusal } from '../store/consumption.ts';
import type { NewEvent } from '../store/events.ts';
import type { HookOutcome } from '../store/hook-executions.ts';

/** `unavailable`: the store could not judge it. */
export type RefreshOutcome = Exclude<ConsumptionOutcome['outcome'], 'refused'> | ConsumptionRefusal | 'unavailable';

export function refreshOutcomeOf(result: ConsumptionOutcome): RefreshOutcome {
  return result.outcome === 'refused' ? result.reason : result.outcome;
}

/** Each reason of a request for authorization that cannot be used; `sign_in_ended` once the sign-in had begun. */
const reasons = {
  client_missing: true,
  client_unknown: true,
  client_document_unusable: true,
  client_documents_full: true,
  redirect_uri_missing: true,
  redirect_uri_differs: true,
  request_used_up: true,
  invalid_request: true,
  unauthorized_client: true,
  access_denied: true,
  unsupported_response_type: true,
  invalid_scope: true,
  invalid_target: true,
  login_required: true,
  interaction_required: true,
  consent_required: true,
  unmet_authentication_requirements: true,
  invalid_request_object: true,
  invalid_request_uri: true,
  request_not_supported: true,
  request_uri_not_supported: true,
  sign_in_ended: true,
} as const satisfies Readonly<Record<RefusedReason | 'sign_in_ended', true>>;

export const refusedReasons = Object.keys(reasons) as readonly (keyof typeof reasons)[];

export function refusedReasonOf(reason: string | undefined): keyof typeof reasons {
  return refusedReasons.find((one) => one === reason) ?? 'sign_in_ended';
}

export const hookOutcomes = [
  'success',
  'refused',
  'invalid_result',
  'error',
  'timeout',
  'out_of_memory',
  'crashed',
  'unavailable',
] as const satisfies readonly HookOutcome[];

export const signInOutcomes = [
  'succeeded',
  'unknown_user',
  'wrong_password',
  'wrong_passkey',
  'closed',
  'wrong_second_factor',
  'refused',
  'hook_refused',
  'hook_failed',
] as const;

/** `link`: by a link that was sent by e-mail. A passkey is more than one factor by itself. */
export const signInMethods = [
  'password',
  'password_second_factor',
  'passkey',
  'link',
  'link_second_factor',
  'unknown',
] as const;

export interface SignIn {
  readonly outcome: (typeof signInOutcomes)[number];
  readonly method: (typeof signInMethods)[number];
}

/** What a sign-in was, if the event ends one. */
export function signInOf({ action, detail }: Pick<NewEvent, 'action' | 'detail'>): SignIn | null {
  const read = readers[action];
  return read ? read(JSON.parse(detail) as never) : null;
}

type Readers = { readonly [Action in keyof EventDetails]?: (detail: EventDetails[Action]) => SignIn | null };

const ended: Readers = {
  'sign_in.succeeded': ({ methods }) => ({ outcome: 'succeeded', method: methodOf(methods) }),
  // Signing in with the grant type `password` opens no session.
  'grant.issued': ({ method }) => (method === 'password' ? { outcome: 'succeeded', method } : null),
  'sign_in.failed': ({ reason }) => ({
    outcome: reason,
    method: reason === 'wrong_passkey' ? 'passkey' : 'password',
  }),
  'sign_in.refused': ({ methods }) => ({ outcome: 'refused', method: methodOf(methods) }),
  'mfa.failed': () => ({ outcome: 'wrong_second_factor', method: 'unknown' }),
  'hook.sign_in_refused': () => ({ outcome: 'hook_refused', method: 'unknown' }),
  // A migration that fails is a sign-in of an unknown user, and recorded as that.
  'hook.failed': ({ sign_in: signIn, user_id: userId }) =>
    signIn === 'denied' && userId !== null ? { outcome: 'hook_failed', method: 'unknown' } : null,
};
/** Each is given the detail of its own action only. */
const readers = ended as Readonly<Record<string, ((detail: never) => SignIn | null) | undefined>>;

/** From the values of `amr`; a password may be followed by a passkey. */
function methodOf(methods: readonly string[]): SignIn['method'] {
  const isMore = methods.includes('mfa');
  if (methods.includes('pwd')) return isMore ? 'password_second_factor' : 'password';
  if (isOfLink(methods)) return isMore ? 'link_second_factor' : 'link';
  return 'passkey';
}
