import type { components, operations } from '../../../generated/api-2.ts';
import type { Failure } from '../../domain/failure.ts';
import {
  bodyTooLarge,
  forbidden,
  internal,
  jsonError,
  mediaTypeUnsupported,
  methodNotAllowed,
  notFound,
  rateLimited,
  unauthorized,
  unavailable,
} from '../../http/json-errors.ts';
import type { FailureTable, RefusalContext } from '../../http/operation.ts';

type ErrorBody = components['schemas']['Error'];

const badRequest = jsonError(400, 'BadRequestError');
const unprocessable = jsonError(422, 'UnprocessableEntityError');

/** Operations whose body is a bare array: anything else is no request for them at all. */
export const takesArray: ReadonlySet<string> = new Set([
  'addRoleUsers',
  'removeRoleUsers',
  'addRoleAdmins',
  'removeRoleAdmins',
  'setRoleApps',
] satisfies (keyof operations)[]);

/** Lists whose clients take 422 for a cursor that is none (hooks, variables and logs). */
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

/** What cannot be deleted; or a value that must be unique and is taken. */
function conflict({ detail }: Failure) {
  if (detail.name === 'policy') {
    const message = detail.message ?? 'A policy that a user, a role or an app follows cannot be deleted';
    return { status: 409 as const, body: { statusCode: 409 as const, name: 'ConflictError' as const, message } };
  }
  const message = `${detail.name ?? 'the value'} has already been taken`;
  return {
    status: 422 as const,
    body: { statusCode: 422 as const, name: 'UnprocessableEntityError' as const, message },
  };
}

export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: methodNotAllowed,
  media_type_unsupported: mediaTypeUnsupported,
  body_too_large: bodyTooLarge,
  request_malformed: badRequest,
  request_invalid: invalidRequest,
  parameter_missing: badRequest,
  parameter_repeated: badRequest,
  rate_limited: rateLimited,
  caller_unauthenticated: unauthorized,
  scope_insufficient: forbidden,
  credential_authentication_failed: unauthorized,
  api_key_invalid: unauthorized,
  registration_closed: unprocessable,
  redirect_uri_invalid: unprocessable,
  client_metadata_invalid: unprocessable,
  software_statement_invalid: unprocessable,
  authorization_header_malformed: unauthorized,
  client_unknown: unprocessable,
  client_authentication_failed: unauthorized,
  client_not_authorized: unprocessable,
  grant_type_unsupported: unprocessable,
  grant_invalid: unprocessable,
  device_code_unready: unprocessable,
  scope_invalid: unprocessable,
  target_invalid: unprocessable,
  dpop_proof_invalid: unprocessable,
  dpop_nonce_required: unprocessable,
  access_token_invalid: unauthorized,
  user_locked: unprocessable,
  user_suspended: unprocessable,
  user_inactive: unprocessable,
  access_not_assigned: unprocessable,
  sign_in_refused: unprocessable,
  authorization_request_invalid: badRequest,
  cross_site_request: badRequest,
  invite_unusable: badRequest,
  value_invalid: unprocessable,
  conflict,
  unavailable,
  internal,
} satisfies FailureTable<operations, ErrorBody>;
