import type { components, operations } from '../../../generated/api-2.ts';
import { dpopChallenge } from '../../domain/dpop/challenge.ts';
import type { Failure } from '../../domain/failure.ts';
import { commonCodes, commonKinds, jsonError, unauthorized } from '../../http/json-errors.ts';
import type { FailureTable, RefusalContext } from '../../http/operation.ts';

type ErrorBody = components['schemas']['ManagementError'];

const badRequest = jsonError(400, 'BadRequestError');
const unprocessable = jsonError(422, 'UnprocessableEntityError');

/** RFC 9449 §7.1. */
const proofRefused = (error: 'invalid_dpop_proof' | 'use_dpop_nonce', words?: string) => (failure: Failure) => {
  const { nonce } = failure.detail;
  const headers = { 'www-authenticate': dpopChallenge(error), ...(nonce !== undefined && { 'dpop-nonce': nonce }) };
  return jsonError(401, 'UnauthorizedError', words, headers)(failure);
};

const unauthenticated = (failure: Failure) =>
  failure.detail.scheme === 'DPoP'
    ? jsonError(401, 'UnauthorizedError', 'The token is unknown, expired or revoked.', {
        'www-authenticate': dpopChallenge('invalid_token'),
      })(failure)
    : unauthorized(failure);

/** Operations whose body is a bare array: any other body cannot be read at all. */
export const takesArray: ReadonlySet<string> = new Set([
  'addRoleUsers',
  'removeRoleUsers',
  'addRoleAdmins',
  'removeRoleAdmins',
  'setRoleApps',
  'addAppUsers',
  'removeAppUsers',
] satisfies (keyof operations)[]);

/** Lists whose clients expect 422 for an invalid cursor (hooks, variables and logs). */
const takesNoCursor: ReadonlySet<string> = new Set([
  'listHooks',
  'listHookVariables',
  'listHookLogs',
] satisfies (keyof operations)[]);

const arrayExpected = jsonError(400, 'BadRequestError', 'Expected array in request');

function invalidRequest(failure: Failure, { operation }: RefusalContext) {
  if (failure.detail.name === 'cursor' && takesNoCursor.has(operation ?? '')) return unprocessable(failure);
  const noArray = failure.detail.name === 'the body' && takesArray.has(operation ?? '');
  return noArray ? arrayExpected(failure) : badRequest(failure);
}

/** An object that cannot be deleted, or a unique value that is taken. */
function conflict({ detail }: Failure) {
  if (detail.name === 'policy') {
    const { message = 'The policy cannot be deleted' } = detail;
    return { status: 409 as const, body: { statusCode: 409 as const, name: 'ConflictError' as const, message } };
  }
  const message = `${detail.name ?? 'the value'} has already been taken`;
  return {
    status: 422 as const,
    body: { statusCode: 422 as const, name: 'UnprocessableEntityError' as const, message },
  };
}

export const failures = {
  kinds: {
    ...commonKinds,
    request: badRequest,
    value: unprocessable,
    client: unauthorized,
    grant: unprocessable,
    user: unprocessable,
  },
  codes: {
    ...commonCodes,
    request_invalid: invalidRequest,
    precondition_failed: jsonError(412, 'PreconditionFailedError'),
    key_in_use: jsonError(409, 'ConflictError'),
    last_administrator: jsonError(409, 'ConflictError'),
    caller_unauthenticated: unauthenticated,
    dpop_proof_invalid: proofRefused('invalid_dpop_proof'),
    dpop_nonce_required: proofRefused('use_dpop_nonce', 'The DPoP proof must contain the nonce of DPoP-Nonce'),
    conflict,
  },
} satisfies FailureTable<operations, ErrorBody>;
