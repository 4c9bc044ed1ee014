import type { operations } from '../../../generated/api-v1.ts';
import { shortened } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable } from '../../http/operation.ts';
import { error, type RefusalMessage, refused } from './represent.ts';

const answer = (message: RefusalMessage) => ({ status: 200 as const, body: refused(message) });

const fault =
  <const Status extends 400 | 404 | 405 | 500 | 503>(status: Status, code: string, words?: string) =>
  ({ message }: Failure) => ({ status, body: error(shortened(words ?? message), code) });

const badRequest = fault(400, 'bad_request');
const wrongKey = answer('Account not found');
/** Also for reasons that the response must not reveal; they are in the trail and the log. */
const wrongPassword = answer('Invalid password');

/** Any error of a credential is a response with status 200 (the document's §7). */
export const failures = {
  kinds: {
    not_found: fault(404, 'not_found', 'Not found'),
    method: fault(405, 'method_not_allowed', 'Method not allowed'),
    size: badRequest,
    rate: wrongPassword,
    request: wrongPassword,
    value: wrongPassword,
    caller: wrongKey,
    client: wrongPassword,
    grant: wrongPassword,
    user: wrongPassword,
    unavailable: fault(503, 'unavailable', 'The service is temporarily unavailable'),
    internal: fault(500, 'internal_error', 'The request could not be served'),
  },
  codes: {
    media_type_unsupported: badRequest,
    request_malformed: badRequest,
  },
} satisfies FailureTable<operations, string>;
