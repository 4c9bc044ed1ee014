import type { operations } from '../../../generated/pages.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, RefusalContext } from '../../http/operation.ts';
import { failurePage, failurePageHeaders, type PageStatus } from '../../pages/failure-page.ts';

const page =
  <Status extends PageStatus>(status: Status) =>
  (failure: Failure, context: RefusalContext) => ({
    status,
    body: failurePage(status, failure, context),
    headers: failurePageHeaders(context),
  });

/** What the user sees of each failure. Refusals that name the user's state come only after the right password. */
export const failures = {
  account_unknown: page(404),
  not_found: page(404),
  method_not_allowed: page(405),
  media_type_unsupported: page(400),
  body_too_large: page(413),
  request_malformed: page(400),
  request_invalid: page(400),
  parameter_missing: page(400),
  parameter_repeated: page(400),
  rate_limited: page(429),
  caller_unauthenticated: page(403),
  scope_insufficient: page(403),
  credential_authentication_failed: page(403),
  api_key_invalid: page(403),
  registration_closed: page(403),
  redirect_uri_invalid: page(400),
  client_metadata_invalid: page(400),
  software_statement_invalid: page(400),
  authorization_header_malformed: page(400),
  client_unknown: page(400),
  client_authentication_failed: page(403),
  client_not_authorized: page(403),
  grant_type_unsupported: page(400),
  grant_invalid: page(403),
  device_code_unready: page(403),
  scope_invalid: page(400),
  target_invalid: page(400),
  dpop_proof_invalid: page(400),
  dpop_nonce_required: page(400),
  access_token_invalid: page(403),
  user_locked: page(403),
  user_suspended: page(403),
  user_inactive: page(403),
  access_not_assigned: page(403),
  sign_in_refused: page(403),
  authorization_request_invalid: page(400),
  cross_site_request: page(403),
  invite_unusable: page(410),
  value_invalid: page(400),
  conflict: page(400),
  unavailable: page(503),
  internal: page(500),
} satisfies FailureTable<operations, string>;
