import type { components, operations } from '../../../generated/auth-2.ts';
import { shortened } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, ReplyHeaders } from '../../http/operation.ts';

type ErrorAnswer = components['schemas']['ErrorAnswer'];
type ErrorType = ErrorAnswer['status']['type'];

/** The only error format of this surface; by default in the failure's own words. */
const status =
  <const Code extends ErrorAnswer['status']['code']>(
    code: Code,
    type: ErrorType,
    words?: string,
    headers?: ReplyHeaders,
  ) =>
  ({ message }: Failure) => ({
    status: code,
    body: { status: { error: true as const, code, type, message: shortened(words ?? message) } },
    ...(headers && { headers }),
  });

const badRequest = status(400, 'bad request');
const pairRefused = status(401, 'Unauthorized', 'Authentication Failure', {
  'www-authenticate': 'Basic realm="gatehouse", charset="UTF-8"',
});
const bearerRefused = status(401, 'Unauthorized', 'Authentication Failure', {
  'www-authenticate': 'Bearer realm="gatehouse"',
});

/** Every operation with a bearer accepts every scope here, so an insufficient scope cannot occur. */
export const failures = {
  kinds: {
    not_found: status(404, 'not found', 'Not Found'),
    method: status(405, 'method not allowed', 'Method Not Allowed'),
    size: status(413, 'content too large'),
    rate: status(429, 'rate limit exceeded', 'Rate limit exceeded'),
    request: badRequest,
    value: badRequest,
    caller: bearerRefused,
    client: pairRefused,
    grant: badRequest,
    user: bearerRefused,
    unavailable: status(503, 'unavailable', 'The service is temporarily unavailable'),
    internal: status(500, 'internal error', 'The request could not be served'),
  },
  codes: {
    credential_authentication_failed: pairRefused,
    grant_type_unsupported: status(400, 'bad request', 'grant_type is incorrect/absent'),
  },
} satisfies FailureTable<operations, ErrorAnswer>;
