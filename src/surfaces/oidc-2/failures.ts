import type { components, operations } from '../../../generated/oidc-2.ts';
import { asDescription } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable } from '../../http/operation.ts';

/** RFC 9110 §11.6.1: a 401 names a scheme that would do. */
const bearer = { 'www-authenticate': 'Bearer realm="gatehouse"' };
const basic = { 'www-authenticate': 'Basic realm="gatehouse", charset="UTF-8"' };

const unauthorized = {
  status: 401,
  body: { error: 'UnauthorizedError', error_description: 'Unauthorized' },
  headers: bearer,
} as const;

const invalidRequest = ({ message }: Failure) =>
  ({ status: 400, body: { error: 'invalid_request', error_description: asDescription(message) } }) as const;

const invalidMetadata = ({ message }: Failure) =>
  ({ status: 400, body: { error: 'invalid_client_metadata', error_description: asDescription(message) } }) as const;

const unsupportedGrantType = ({ detail }: Failure) =>
  ({
    status: 400,
    body: {
      error: 'unsupported_grant_type',
      error_description: asDescription(`unsupported grant_type requested (${detail.value ?? ''})`),
    },
  }) as const;

/** The document's §7: one word for all that can be wrong with a client, a user or a token. */
const refused = (description: string) =>
  ({ status: 401, body: { error: 'invalid_request', error_description: description }, headers: basic }) as const;

/** RFC 9449 §5: of those alone who send a proof, or registered that they would. */
const invalidProof = ({ message }: Failure) =>
  ({ status: 400, body: { error: 'invalid_dpop_proof', error_description: asDescription(message) } }) as const;

const nonceRequired = ({ detail }: Failure) =>
  ({
    status: 400,
    body: {
      error: 'use_dpop_nonce',
      error_description: 'The DPoP proof must contain the nonce of the header DPoP-Nonce',
    },
    headers: { 'dpop-nonce': detail.nonce ?? '' },
  }) as const;

const serverError = {
  status: 500,
  body: { error: 'server_error', error_description: 'The request could not be served' },
} as const;

const notFound = { status: 404, body: { error: 'not_found', error_description: 'Not found' } } as const;

/** The document's §7, and the tables of refusals in the contract. */
export const failures = {
  account_unknown: notFound,
  not_found: notFound,
  method_not_allowed: {
    status: 405,
    body: { error: 'method_not_allowed', error_description: 'Method not allowed' },
  },
  media_type_unsupported: invalidRequest,
  body_too_large: ({ message }) => ({
    status: 413,
    body: { error: 'invalid_request', error_description: asDescription(message) },
  }),
  request_malformed: invalidRequest,
  request_invalid: invalidRequest,
  parameter_missing: invalidRequest,
  parameter_repeated: invalidRequest,
  rate_limited: { status: 429, body: { error: 'rate_limited', error_description: 'Too many requests' } },
  caller_unauthenticated: unauthorized,
  scope_insufficient: unauthorized,
  credential_authentication_failed: unauthorized,
  api_key_invalid: unauthorized,
  registration_closed: unauthorized,
  redirect_uri_invalid: ({ message }) => ({
    status: 400,
    body: { error: 'invalid_redirect_uri', error_description: asDescription(message) },
  }),
  client_metadata_invalid: invalidMetadata,
  software_statement_invalid: invalidMetadata,
  authorization_header_malformed: {
    status: 400,
    body: { error: 'invalid_request', error_description: 'invalid authorization header value format' },
  },
  client_unknown: { status: 400, body: { error: 'invalid_request', error_description: 'Resource not found' } },
  client_authentication_failed: refused('Authentication Failed'),
  client_not_authorized: refused('Access is unauthorized'),
  grant_type_unsupported: unsupportedGrantType,
  grant_invalid: refused('Access is unauthorized'),
  device_code_unready: refused('Access is unauthorized'),
  scope_invalid: refused('Access is unauthorized'),
  target_invalid: refused('Access is unauthorized'),
  dpop_proof_invalid: invalidProof,
  dpop_nonce_required: nonceRequired,
  access_token_invalid: refused('Access is unauthorized'),
  user_locked: refused('Access is unauthorized: user is locked'),
  user_suspended: refused('Access is unauthorized: user is suspended'),
  user_inactive: refused('Access is unauthorized'),
  access_not_assigned: refused('Access is unauthorized'),
  sign_in_refused: refused('Access is unauthorized'),
  authorization_request_invalid: invalidRequest,
  cross_site_request: invalidRequest,
  invite_unusable: invalidRequest,
  value_invalid: invalidRequest,
  conflict: invalidRequest,
  unavailable: {
    status: 503,
    body: { error: 'temporarily_unavailable', error_description: 'The service is temporarily unavailable' },
  },
  internal: serverError,
} satisfies FailureTable<operations, components['schemas']['ServiceError']>;
