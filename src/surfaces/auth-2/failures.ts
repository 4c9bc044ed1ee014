import type { components, operations } from '../../../generated/auth-2.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, ReplyHeaders } from '../../http/operation.ts';

type ErrorAnswer = components['schemas']['ErrorAnswer'];
type ErrorType = ErrorAnswer['status']['type'];

const longestMessage = 512;

/** The one error form of this surface; the failure's own words where none are given. */
const status =
  <const Code extends ErrorAnswer['status']['code']>(
    code: Code,
    type: ErrorType,
    words?: string,
    headers?: ReplyHeaders,
  ) =>
  ({ message }: Failure) => ({
    status: code,
    body: { status: { error: true as const, code, type, message: (words ?? message).slice(0, longestMessage) } },
    ...(headers && { headers }),
  });

const badRequest = status(400, 'bad request');
const challenge = 'Bearer realm="gatehouse"';
const pairRefused = status(401, 'Unauthorized', 'Authentication Failure', {
  'www-authenticate': 'Basic realm="gatehouse", charset="UTF-8"',
});
const bearerRefused = status(401, 'Unauthorized', 'Authentication Failure', { 'www-authenticate': challenge });
const notFound = status(404, 'not found', 'Not Found');

/** Every operation with a bearer accepts every scope here, so that too little scope cannot occur. */
export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: status(405, 'method not allowed', 'Method Not Allowed'),
  media_type_unsupported: badRequest,
  body_too_large: status(413, 'content too large'),
  request_malformed: badRequest,
  request_invalid: badRequest,
  parameter_missing: badRequest,
  parameter_repeated: badRequest,
  rate_limited: status(429, 'rate limit exceeded', 'Rate limit exceeded'),
  caller_unauthenticated: bearerRefused,
  scope_insufficient: bearerRefused,
  credential_authentication_failed: pairRefused,
  api_key_invalid: pairRefused,
  registration_closed: badRequest,
  redirect_uri_invalid: badRequest,
  client_metadata_invalid: badRequest,
  software_statement_invalid: badRequest,
  authorization_header_malformed: pairRefused,
  client_unknown: pairRefused,
  client_authentication_failed: pairRefused,
  client_not_authorized: pairRefused,
  grant_type_unsupported: status(400, 'bad request', 'grant_type is incorrect/absent'),
  grant_invalid: badRequest,
  device_code_unready: badRequest,
  scope_invalid: badRequest,
  target_invalid: badRequest,
  dpop_proof_invalid: badRequest,
  dpop_nonce_required: badRequest,
  access_token_invalid: bearerRefused,
  user_locked: bearerRefused,
  user_suspended: bearerRefused,
  user_inactive: bearerRefused,
  access_not_assigned: bearerRefused,
  sign_in_refused: bearerRefused,
  authorization_request_invalid: badRequest,
  cross_site_request: badRequest,
  invite_unusable: badRequest,
  value_invalid: badRequest,
  conflict: badRequest,
  unavailable: status(503, 'unavailable', 'The service is temporarily unavailable'),
  internal: status(500, 'internal error', 'The request could not be served'),
} satisfies FailureTable<operations, ErrorAnswer>;
