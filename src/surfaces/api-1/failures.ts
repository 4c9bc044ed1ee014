import type { components, operations } from '../../../generated/api-1.ts';
import type { Failure } from '../../domain/failure.ts';
import {
  bodyTooLarge,
  forbidden,
  internal,
  mediaTypeUnsupported,
  methodNotAllowed,
  notFound,
  rateLimited,
  unauthorized,
  unavailable,
} from '../../http/json-errors.ts';
import type { FailureTable } from '../../http/operation.ts';

type ErrorBody = components['schemas']['Error'];
type StatusError = components['schemas']['StatusError'];

const longestMessage = 512;

/** What is wrong with the body is answered as this call always has. */
function badRequest({ message }: Failure): { status: 400; body: StatusError } {
  const status = { type: 'bad request', message: message.slice(0, longestMessage), error: true, code: 400 } as const;
  return { status: 400, body: { status } };
}

export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: methodNotAllowed,
  media_type_unsupported: mediaTypeUnsupported,
  body_too_large: bodyTooLarge,
  request_malformed: badRequest,
  request_invalid: badRequest,
  parameter_missing: badRequest,
  parameter_repeated: badRequest,
  rate_limited: rateLimited,
  caller_unauthenticated: unauthorized,
  scope_insufficient: forbidden,
  credential_authentication_failed: unauthorized,
  api_key_invalid: unauthorized,
  registration_closed: badRequest,
  redirect_uri_invalid: badRequest,
  client_metadata_invalid: badRequest,
  software_statement_invalid: badRequest,
  authorization_header_malformed: unauthorized,
  client_unknown: badRequest,
  client_authentication_failed: unauthorized,
  client_not_authorized: badRequest,
  grant_type_unsupported: badRequest,
  grant_invalid: badRequest,
  device_code_unready: badRequest,
  scope_invalid: badRequest,
  target_invalid: badRequest,
  dpop_proof_invalid: badRequest,
  dpop_nonce_required: badRequest,
  access_token_invalid: unauthorized,
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
  unavailable,
  internal,
} satisfies FailureTable<operations, ErrorBody>;
