/** The form of errors that the management API and its neighbour have in common: `{statusCode, name, message}`. */

import type { Failure } from '../domain/failure.ts';
import type { ReplyHeaders } from './operation.ts';

const longestMessage = 512;

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
    body: { statusCode, name, message: (words ?? message).slice(0, longestMessage) },
    ...(headers && { headers }),
  });

export const notFound = jsonError(404, 'NotFoundError', 'The resource with the given id could not be found');
export const methodNotAllowed = jsonError(405, 'MethodNotAllowedError', 'Method not allowed');
export const mediaTypeUnsupported = jsonError(415, 'UnsupportedMediaTypeError');
export const bodyTooLarge = jsonError(413, 'PayloadTooLargeError');
export const rateLimited = jsonError(429, 'TooManyRequestsError', 'Rate limit exceeded');
export const unavailable = jsonError(503, 'ServiceUnavailableError', 'The service is temporarily unavailable');
export const internal = jsonError(500, 'InternalServerError', 'The request could not be served');

export const unauthorized = jsonError(401, 'UnauthorizedError', 'The request requires user authentication.', {
  'www-authenticate': 'Bearer realm="gatehouse"',
});

/** Names the scopes that would do. */
export function forbidden({ detail }: Failure) {
  const message = `One of these scopes is required: ${(detail.scopes ?? []).join(', ')}`;
  return { status: 403 as const, body: { statusCode: 403 as const, name: 'ForbiddenError' as const, message } };
}
