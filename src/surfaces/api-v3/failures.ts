import type { components, operations } from '../../../generated/api-v3.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable } from '../../http/operation.ts';

type StatusError = components['schemas']['StatusError'];

const longestMessage = 512;

/** The form of every error but that of the key; the failure's own words where none are given. */
const status =
  <const Code extends StatusError['status']['code']>(code: Code, type: StatusError['status']['type'], words?: string) =>
  ({ message }: Failure) => ({
    status: code,
    body: { status: { type, message: (words ?? message).slice(0, longestMessage), error: true as const, code } },
  });

/** The document's §7. */
const wrongKey = {
  status: 400 as const,
  body: '<error><message>API key is invalid or missing</message><code>invalid_or_missing_api_key</code></error>' as const,
};

const badRequest = status(400, 'bad request');
const notFound = status(404, 'not found', 'Not found');

export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: status(405, 'method not allowed', 'Method not allowed'),
  media_type_unsupported: status(415, 'unsupported media type'),
  body_too_large: status(413, 'content too large'),
  request_malformed: badRequest,
  request_invalid: badRequest,
  parameter_missing: badRequest,
  parameter_repeated: badRequest,
  rate_limited: status(429, 'rate limit exceeded', 'Rate limit exceeded'),
  caller_unauthenticated: wrongKey,
  scope_insufficient: wrongKey,
  credential_authentication_failed: wrongKey,
  api_key_invalid: wrongKey,
  registration_closed: badRequest,
  redirect_uri_invalid: badRequest,
  client_metadata_invalid: badRequest,
  software_statement_invalid: badRequest,
  authorization_header_malformed: badRequest,
  client_unknown: badRequest,
  client_authentication_failed: badRequest,
  client_not_authorized: badRequest,
  grant_type_unsupported: badRequest,
  grant_invalid: badRequest,
  device_code_unready: badRequest,
  scope_invalid: badRequest,
  target_invalid: badRequest,
  dpop_proof_invalid: badRequest,
  dpop_nonce_required: badRequest,
  access_token_invalid: badRequest,
  user_locked: badRequest,
  user_suspended: badRequest,
  user_inactive: badRequest,
  access_not_assigned: badRequest,
  sign_in_refused: badRequest,
  authorization_request_invalid: badRequest,
  cross_site_request: badRequest,
  invite_unusable: badRequest,
  value_invalid: badRequest,
  conflict: badRequest,
  unavailable: status(503, 'unavailable', 'The service is temporarily unavailable'),
  internal: status(500, 'internal error', 'The request could not be served'),
} satisfies FailureTable<operations, StatusError | string>;
