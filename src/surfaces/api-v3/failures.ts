import type { components, operations } from '../../../generated/api-v3.ts';
import { shortened } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable } from '../../http/operation.ts';

type StatusError = components['schemas']['StatusError'];

/** The format of every error except that of the key; by default in the failure's own words. */
const status =
  <const Code extends StatusError['status']['code']>(code: Code, type: StatusError['status']['type'], words?: string) =>
  ({ message }: Failure) => ({
    status: code,
    body: { status: { type, message: shortened(words ?? message), error: true as const, code } },
  });

/** The document's §7. */
const wrongKey = {
  status: 400 as const,
  body: '<error><message>API key is invalid or missing</message><code>invalid_or_missing_api_key</code></error>' as const,
};

const badRequest = status(400, 'bad request');

export const failures = {
  kinds: {
    not_found: status(404, 'not found', 'Not found'),
    method: status(405, 'method not allowed', 'Method not allowed'),
    size: status(413, 'content too large'),
    rate: status(429, 'rate limit exceeded', 'Rate limit exceeded'),
    request: badRequest,
    value: badRequest,
    caller: wrongKey,
    client: badRequest,
    grant: badRequest,
    user: badRequest,
    unavailable: status(503, 'unavailable', 'The service is temporarily unavailable'),
    internal: status(500, 'internal error', 'The request could not be served'),
  },
  codes: {
    media_type_unsupported: status(415, 'unsupported media type'),
  },
} satisfies FailureTable<operations, StatusError | string>;
