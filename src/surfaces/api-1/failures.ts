import type { components, operations } from '../../../generated/api-1.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, ReplyHeaders } from '../../http/operation.ts';

type ErrorBody = components['schemas']['Error'];
type StatusError = components['schemas']['StatusError'];

const longestMessage = 512;

/** The form of version 2; the failure's own words where none are given. */
const error =
  <const Code extends ErrorBody['statusCode']>(
    statusCode: Code,
    name: ErrorBody['name'],
    words?: string,
    headers?: ReplyHeaders,
  ) =>
  ({ message }: Failure) => ({
    status: statusCode,
    body: { statusCode, name, message: (words ?? message).slice(0, longestMessage) },
    ...(headers && { headers }),
  });

/** What is wrong with the body is answered as this call always has. */
function badRequest({ message }: Failure): { status: 400; body: StatusError } {
  const status = { type: 'bad request', message: message.slice(0, longestMessage), error: true, code: 400 } as const;
  return { status: 400, body: { status } };
}

const notFound = error(404, 'NotFoundError', 'The resource with the given id could not be found');
const unauthorized = error(401, 'UnauthorizedError', 'The request requires user authentication.', {
  'www-authenticate': 'Bearer realm="gatehouse"',
});

function forbidden({ detail }: Failure) {
  const message = `One of the scopes ${(detail.scopes ?? []).join(', ')} is needed`;
  return { status: 403 as const, body: { statusCode: 403 as const, name: 'ForbiddenError' as const, message } };
}

export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: error(405, 'MethodNotAllowedError', 'Method not allowed'),
  media_type_unsupported: error(415, 'UnsupportedMediaTypeError'),
  body_too_large: error(413, 'PayloadTooLargeError'),
  request_malformed: badRequest,
  request_invalid: badRequest,
  parameter_missing: badRequest,
  parameter_repeated: badRequest,
  rate_limited: error(429, 'TooManyRequestsError', 'The limit of requests is used up'),
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
  scope_invalid: badRequest,
  target_invalid: badRequest,
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
  unavailable: error(503, 'ServiceUnavailableError', 'The service cannot answer now'),
  internal: error(500, 'InternalServerError', 'The request could not be served'),
} satisfies FailureTable<operations, ErrorBody>;
