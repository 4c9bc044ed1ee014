/** The form of errors that the management API and its neighbour have in common: `{statusCode, name, message}`. */

import { shortened } from '../domain/describe.ts';
import type { Failure } from '../domain/failure.ts';
import type { ReplyHeaders } from './operation.ts';

/** How a failure is answered; in its own words where none are given. */
export const jsonError =
  <const Code extends number, const Name extends string>(
    statusCode: Code,
    name: Name,
    words?: string,
    headers?: ReplyHeaders,
  ) =>
  ({ message }: Failure) => ({
    status: statusCode,
    body: { statusCode, name, message: shortened(words ?? message) },
    ...(headers && { headers }),
  });

export const unauthorized = jsonError(401, 'UnauthorizedError', 'The request requires user authentication.', {
  'www-authenticate': 'Bearer realm="gatehouse"',
});

/** Names the scopes that would do. */
function forbidden({ detail }: Failure) {
  const message = `One of these scopes is required: ${(detail.scopes ?? []).join(', ')}`;
  return { status: 403 as const, body: { statusCode: 403 as const, name: 'ForbiddenError' as const, message } };
}

/** The kinds of failures that both answer alike, and the codes. */
export const commonKinds = {
  not_found: jsonError(404, 'NotFoundError', 'The resource with the given id could not be found'),
  method: jsonError(405, 'MethodNotAllowedError', 'Method not allowed'),
  size: jsonError(413, 'PayloadTooLargeError'),
  rate: jsonError(429, 'TooManyRequestsError', 'Rate limit exceeded'),
  caller: unauthorized,
  unavailable: jsonError(503, 'ServiceUnavailableError', 'The service is temporarily unavailable'),
  internal: jsonError(500, 'InternalServerError', 'The request could not be served'),
};
export const commonCodes = {
  media_type_unsupported: jsonError(415, 'UnsupportedMediaTypeError'),
  scope_insufficient: forbidden,
};
