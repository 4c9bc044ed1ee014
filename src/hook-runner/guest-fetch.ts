/** The `fetch` of functions: the service's egress policy, of whose refusals a function hears the kind alone. */

import type { Egress, EgressFailure } from '../domain/egress.ts';
import type { GuestFetch, GuestFetchRefusal } from './protocol.ts';

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
} as const satisfies Record<EgressFailure, GuestFetchRefusal>;

/** Never rejects. `signal` ends with the run. */
export function createGuestFetch(egress: Egress): GuestFetch {
  return async (request, signal) => {
    const { body } = request;
    const bytes = body && Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const result = await egress.fetch({ ...request, body: bytes }, signal);
    return result.ok ? result.response : { refused: refusals[result.failure] };
  };
}
