import type { components, operations } from '../../../generated/api-1.ts';
import { shortened } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import { commonCodes, commonKinds, unauthorized } from '../../http/json-errors.ts';
import type { FailureTable } from '../../http/operation.ts';

type ErrorBody = components['schemas']['ManagementError'];
type StatusError = components['schemas']['StatusError'];

/** Errors of the body have always had this form here. */
function badRequest({ message }: Failure): { status: 400; body: StatusError } {
  const status = { type: 'bad request', message: shortened(message), error: true, code: 400 } as const;
  return { status: 400, body: { status } };
}

export const failures = {
  kinds: {
    ...commonKinds,
    request: badRequest,
    value: badRequest,
    client: unauthorized,
    grant: badRequest,
    user: badRequest,
  },
  codes: commonCodes,
} satisfies FailureTable<operations, ErrorBody>;
