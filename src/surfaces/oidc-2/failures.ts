import type { components, operations } from '../../../generated/oidc-2.ts';
import { asDescription } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable } from '../../http/operation.ts';

/** RFC 9110 §11.6.1: a 401 names an acceptable scheme. */
const bearer = { 'www-authenticate': 'Bearer realm="gatehouse"' };
const basic = { 'www-authenticate': 'Basic realm="gatehouse", charset="UTF-8"' };

/** By default the failure's own words. */
const answer =
  <const Status extends number, const Code extends string>(status: Status, error: Code, words?: string) =>
  ({ message }: Failure) => ({ status, body: { error, error_description: words ?? asDescription(message) } });

const unauthorized = {
  status: 401,
  body: { error: 'UnauthorizedError', error_description: 'Unauthorized' },
  headers: bearer,
} as const;

/** The document's §7: one error code for everything that can be wrong with a client, a user or a token. */
const refused = (description: string) =>
  ({ status: 401, body: { error: 'invalid_request', error_description: description }, headers: basic }) as const;

const accessUnauthorized = refused('Access is unauthorized');

const unsupportedGrantType = (failure: Failure) => {
  const words = `unsupported grant_type requested (${failure.detail.value ?? ''})`;
  return answer(400, 'unsupported_grant_type', asDescription(words))(failure);
};

/** RFC 9449 §5: only for clients that send a proof, or that registered to do so. */
const nonceRequired = (failure: Failure) => ({
  ...answer(400, 'use_dpop_nonce', 'The DPoP proof must contain the nonce of the header DPoP-Nonce')(failure),
  headers: { 'dpop-nonce': failure.detail.nonce ?? '' },
});

/** The document's §7, and the tables of refusals in the contract. */
export const failures = {
  kinds: {
    not_found: answer(404, 'not_found', 'Not found'),
    method: answer(405, 'method_not_allowed', 'Method not allowed'),
    size: answer(413, 'invalid_request'),
    rate: answer(429, 'rate_limited', 'Too many requests'),
    request: answer(400, 'invalid_request'),
    value: answer(400, 'invalid_request'),
    caller: unauthorized,
    client: refused('Authentication Failed'),
    grant: accessUnauthorized,
    user: accessUnauthorized,
    unavailable: answer(503, 'temporarily_unavailable', 'The service is temporarily unavailable'),
    internal: answer(500, 'server_error', 'The request could not be served'),
  },
  codes: {
    registration_closed: unauthorized,
    redirect_uri_invalid: answer(400, 'invalid_redirect_uri'),
    client_metadata_invalid: answer(400, 'invalid_client_metadata'),
    authorization_header_malformed: answer(400, 'invalid_request', 'invalid authorization header value format'),
    client_unknown: answer(400, 'invalid_request', 'Resource not found'),
    grant_type_unsupported: unsupportedGrantType,
    scope_invalid: accessUnauthorized,
    target_invalid: accessUnauthorized,
    dpop_proof_invalid: answer(400, 'invalid_dpop_proof'),
    dpop_nonce_required: nonceRequired,
    user_locked: refused('Access is unauthorized: user is locked'),
    user_suspended: refused('Access is unauthorized: user is suspended'),
  },
} satisfies FailureTable<operations, components['schemas']['ServiceError']>;
