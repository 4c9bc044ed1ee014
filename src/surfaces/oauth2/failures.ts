import type { components, operations } from '../../../generated/oauth2.ts';
import { asDescription } from '../../domain/describe.ts';
import { dpopChallenge } from '../../domain/dpop/challenge.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, RefusalContext, ReplyHeaders } from '../../http/operation.ts';
import { failurePage, failurePageHeaders, type PageStatus } from '../../pages/failure-page.ts';

type Schemas = components['schemas'];
type ErrorCode =
  | Schemas['TokenError']['error']
  | Schemas['RegistrationError']['error']
  | Schemas['RegistrationRefusal']['error']
  | Schemas['InvalidToken']['error']
  | Schemas['ServiceError']['error'];

/** A JSON error in the failure's own words. */
const json =
  <const Status extends number, const Code extends ErrorCode>(
    status: Status,
    error: Code,
    words?: string,
    headers?: ReplyHeaders,
  ) =>
  (failure: Failure) => ({
    status,
    body: { error, error_description: asDescription(words ?? failure.message) },
    ...(headers && { headers }),
  });

/** A person is looking, so the error is a page in the browser; everywhere else programs get JSON. */
const browsed: readonly (keyof operations)[] = [
  'requestAuthorization',
  'requestAuthorizationByForm',
  'endSession',
  'endSessionByForm',
];

export function isBrowsed(operationId: string | null): boolean {
  return browsed.some((operation) => operation === operationId);
}

const pageOr =
  <Status extends PageStatus, Data>(status: Status, data: (failure: Failure) => Data) =>
  (failure: Failure, context: RefusalContext) =>
    isBrowsed(context.operation)
      ? { status, body: failurePage(status, failure, context), headers: failurePageHeaders(context) }
      : data(failure);

/** RFC 6749 §5.2: 401 with a challenge when the client tried the Authorization header, else 400 without one. */
const clientRefused = (failure: Failure, words: string) =>
  failure.detail.challenged
    ? json(401, 'invalid_client', words, { 'www-authenticate': 'Basic realm="gatehouse", charset="UTF-8"' })(failure)
    : json(400, 'invalid_client', words)(failure);

const invalidClient = (failure: Failure) => clientRefused(failure, 'Client authentication failed');

/**
 * With an access token, the error is one of the token (RFC 9449 §7.1); at the token endpoint, one of the request (§5).
 */
const proofRefused =
  (error: 'invalid_dpop_proof' | 'use_dpop_nonce', words?: string) =>
  (failure: Failure, { operation }: RefusalContext) => {
    const { nonce } = failure.detail;
    const headers = nonce === undefined ? {} : { 'dpop-nonce': nonce };
    return operation === 'readUserinfo' || operation === 'readUserinfoByForm'
      ? json(401, error, words, { ...headers, 'www-authenticate': dpopChallenge(error) })(failure)
      : json(400, error, words, headers)(failure);
  };

/** RFC 6750 §3.1: no error code in the challenge when no token was sent. */
const invalidToken = (failure: Failure) =>
  json(401, 'invalid_token', 'The access token is missing, unknown, expired or revoked', {
    'www-authenticate': failure.detail.scheme
      ? dpopChallenge('invalid_token')
      : failure.detail.challenged
        ? 'Bearer realm="gatehouse", error="invalid_token"'
        : 'Bearer realm="gatehouse"',
  })(failure);

const insufficientScope = (failure: Failure) => {
  const scopes = failure.detail.scopes?.join(' ') ?? '';
  return json(403, 'insufficient_scope', `One of these scopes is required: ${scopes}`, {
    'www-authenticate': `Bearer realm="gatehouse", error="insufficient_scope", scope="${scopes}"`,
  })(failure);
};

const invalidRequest = pageOr(400, json(400, 'invalid_request'));
const invalidGrant = json(
  400,
  'invalid_grant',
  'The grant is invalid, expired, revoked or was issued to another client',
);
/** RFC 8628 §3.5. */
const deviceWords = {
  authorization_pending: 'The user has not decided yet',
  slow_down: 'The user has not decided yet, and the client polls too fast',
  access_denied: 'The user denied the request',
  expired_token: 'The device code has expired',
} as const;

const deviceUnready = (failure: Failure) => {
  const { value } = failure.detail;
  const error = (Object.keys(deviceWords) as (keyof typeof deviceWords)[]).find((word) => word === value);
  return json(400, error ?? 'invalid_grant', error && deviceWords[error])(failure);
};

/** RFC 6749 §5.2, RFC 6750 §3.1, RFC 7591 §3.2.2. The true reason of a refused grant is in the log only. */
export const failures = {
  kinds: {
    not_found: pageOr(404, json(404, 'not_found', 'Not found')),
    method: json(405, 'method_not_allowed', 'Method not allowed; the Allow header lists the allowed methods'),
    size: pageOr(413, json(413, 'invalid_request')),
    rate: pageOr(429, json(429, 'rate_limited', 'Too many requests')),
    request: invalidRequest,
    value: invalidRequest,
    caller: invalidToken,
    client: invalidClient,
    grant: invalidGrant,
    user: invalidGrant,
    unavailable: pageOr(503, json(503, 'temporarily_unavailable', 'The service is temporarily unavailable')),
    internal: pageOr(500, json(500, 'server_error', 'The request could not be served')),
  },
  codes: {
    scope_insufficient: insufficientScope,
    registration_closed: json(403, 'access_denied', 'Registration is closed'),
    redirect_uri_invalid: json(400, 'invalid_redirect_uri'),
    client_metadata_invalid: json(400, 'invalid_client_metadata'),
    software_statement_invalid: json(400, 'invalid_software_statement'),
    key_in_use: json(409, 'invalid_request'),
    key_reused: json(422, 'invalid_request'),
    client_not_authorized: json(
      400,
      'unauthorized_client',
      'The client may not use this grant type: its grant_types must have it, and the account must allow it',
    ),
    client_document_unusable: (failure) => clientRefused(failure, failure.message),
    security_profile: (failure) => clientRefused(failure, failure.message),
    grant_type_unsupported: (failure) =>
      json(
        400,
        'unsupported_grant_type',
        `unsupported grant_type requested (${failure.detail.value ?? ''}); grant_types_supported in the metadata lists what is offered`,
      )(failure),
    device_code_unready: deviceUnready,
    scope_invalid: json(400, 'invalid_scope', 'The scope is unknown or wider than granted'),
    target_invalid: json(400, 'invalid_target'),
    dpop_proof_invalid: proofRefused('invalid_dpop_proof'),
    dpop_nonce_required: proofRefused(
      'use_dpop_nonce',
      'The DPoP proof must contain the nonce of the header DPoP-Nonce',
    ),
  },
} satisfies FailureTable<operations, Schemas['ServiceError']>;
