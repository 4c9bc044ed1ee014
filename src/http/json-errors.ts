/** The error format of the management API and the credential API: `{statusCode, name, message}`. */

import { shortened } from '../domain/describe.ts';
import type { Failure } from '../domain/failure.ts';
import type { ReplyHeaders } from './operation.ts';

/** The response to a failure; by default in the failure's own words. */
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

/** Names the scopes that would suffice. */
function forbidden({ detail }: Failure) {
  const message = `One of these scopes is required: ${(detail.scopes ?? []).join(', ')}`;
  return { status: 403 as const, body: { statusCode: 403 as const, name: 'ForbiddenError' as const, message } };
}

/** Kinds and codes of failures that both APIs answer alike. */
export const commonKinds = {
  not_found: jsonError(404, 'NotFoundError', 'The resource with the given id could not be found'),
  method: jsonError(405, 'MethodNotAllowedError', 'Method not allowed; the Allow header lists the allowed methods'),
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
