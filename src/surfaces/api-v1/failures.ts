import type { operations } from '../../../generated/api-v1.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable } from '../../http/operation.ts';
import { error, type RefusalMessage, refused } from './represent.ts';

const answer = (message: RefusalMessage) => ({ status: 200 as const, body: refused(message) });

const fault =
  <const Status extends 400 | 404 | 405 | 500 | 503>(status: Status, code: string, words?: string) =>
  ({ message }: Failure) => ({ status, body: error((words ?? message).slice(0, 512), code) });

const badRequest = fault(400, 'bad_request');
const notFound = fault(404, 'not_found', 'Not found');
const wrongKey = answer('Account not found');
/** Also what is no reason that the answer may tell; the audit trail and the log have it. */
const wrongPassword = answer('Invalid password');

/** Whatever is wrong with a credential is an answer, 200, and never a status (the document's §7). */
export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: fault(405, 'method_not_allowed', 'Method not allowed'),
  media_type_unsupported: badRequest,
  body_too_large: badRequest,
  request_malformed: badRequest,
  request_invalid: wrongPassword,
  parameter_missing: wrongPassword,
  parameter_repeated: wrongPassword,
  rate_limited: wrongPassword,
  caller_unauthenticated: wrongKey,
  scope_insufficient: wrongKey,
  credential_authentication_failed: wrongKey,
  api_key_invalid: wrongKey,
  registration_closed: wrongPassword,
  redirect_uri_invalid: wrongPassword,
  client_metadata_invalid: wrongPassword,
  software_statement_invalid: wrongPassword,
  authorization_header_malformed: wrongPassword,
  client_unknown: wrongPassword,
  client_authentication_failed: wrongPassword,
  client_not_authorized: wrongPassword,
  grant_type_unsupported: wrongPassword,
  grant_invalid: wrongPassword,
  device_code_unready: wrongPassword,
  scope_invalid: wrongPassword,
  target_invalid: wrongPassword,
  dpop_proof_invalid: wrongPassword,
  dpop_nonce_required: wrongPassword,
  access_token_invalid: wrongPassword,
  user_locked: wrongPassword,
  user_suspended: wrongPassword,
  user_inactive: wrongPassword,
  access_not_assigned: wrongPassword,
  sign_in_refused: wrongPassword,
  authorization_request_invalid: wrongPassword,
  cross_site_request: wrongPassword,
  invite_unusable: wrongPassword,
  value_invalid: wrongPassword,
  conflict: wrongPassword,
  unavailable: fault(503, 'unavailable', 'The service is temporarily unavailable'),
  internal: fault(500, 'internal_error', 'The request could not be served'),
} satisfies FailureTable<operations, string>;
