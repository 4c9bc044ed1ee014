/** Outcomes as metrics tell them apart, from what the domain and the store say. */

import type { RefusedReason } from '../domain/login/refused-request.ts';
import type { ConsumptionOutcome, ConsumptionRefusal } from '../store/consumption.ts';
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
