/** The `fetch` of functions: the service's egress policy, of whose refusals a function hears the kind alone. */

import type { Egress, EgressFailure, EgressHeaders, EgressRequest, EgressResponse } from '../domain/egress.ts';

/** Why a request was not answered: all that a function hears of it. */
export type GuestRefusal =
  | 'forbidden'
  | 'invalid_request'
  | 'rate_limited'
  | 'response_too_large'
  | 'timed_out'
  | 'too_many_redirects'
  | 'unreachable';

const refusals = {
  disabled: 'forbidden',
  url_invalid: 'invalid_request',
  scheme_forbidden: 'forbidden',
  port_forbidden: 'forbidden',
  host_forbidden: 'forbidden',
  address_forbidden: 'forbidden',
  name_unresolved: 'unreachable',
  method_forbidden: 'forbidden',
  header_invalid: 'invalid_request',
  body_forbidden: 'invalid_request',
  body_too_large: 'invalid_request',
  busy: 'rate_limited',
  connection_failed: 'unreachable',
  tls_failed: 'unreachable',
  response_invalid: 'unreachable',
  response_too_large: 'response_too_large',
  redirect_forbidden: 'forbidden',
  too_many_redirects: 'too_many_redirects',
  timeout: 'timed_out',
} as const satisfies Record<EgressFailure, GuestRefusal>;

/** A request of a function, of a right shape, not yet of a right content. */
export interface GuestFetchRequest extends Omit<EgressRequest, 'body' | 'headers'> {
  readonly headers: EgressHeaders;
  readonly body: Uint8Array | null;
}

export type GuestFetchResult = EgressResponse | { readonly refused: GuestRefusal };

/** Never rejects. `signal` ends with the run. */
export function createGuestFetch(
  egress: Egress,
): (request: GuestFetchRequest, signal: AbortSignal) => Promise<GuestFetchResult> {
  return async (request, signal) => {
    const { body } = request;
    const bytes = body && Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const result = await egress.fetch({ ...request, body: bytes }, signal);
    return result.ok ? result.response : { refused: refusals[result.failure] };
  };
}
