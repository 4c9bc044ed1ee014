/**
 * The one failure type of the domain. A code names the reason; each surface owns a table that turns every code into
 * a reply of its contract, so that status and words are written once per surface and nowhere else.
 */

const failureCodes = [
  // The request itself.
  'account_unknown',
  'not_found',
  'method_not_allowed',
  'media_type_unsupported',
  'body_too_large',
  'request_malformed',
  'request_invalid',
  'parameter_missing',
  'parameter_repeated',
  'rate_limited',
  // Callers of the API.
  'caller_unauthenticated',
  'scope_insufficient',
  'credential_authentication_failed',
  'api_key_invalid',
  // Registration of clients.
  'registration_closed',
  'redirect_uri_invalid',
  'client_metadata_invalid',
  'software_statement_invalid',
  // Clients and grants.
  'authorization_header_malformed',
  'client_unknown',
  'client_authentication_failed',
  'client_not_authorized',
  'grant_type_unsupported',
  'grant_invalid',
  // What a device is told while there are no tokens for it; `value` is the word of RFC 8628 §3.5.
  'device_code_unready',
  'scope_invalid',
  'target_invalid',
  // Proof of possession (RFC 9449): the proof is no good, or holds no nonce of now.
  'dpop_proof_invalid',
  'dpop_nonce_required',
  'access_token_invalid',
  // Users.
  'user_locked',
  'user_suspended',
  'user_inactive',
  'access_not_assigned',
  // A hook of the account refused the sign-in, or failed and the account wants nobody signed in then.
  'sign_in_refused',
  // Hosted pages.
  'authorization_request_invalid',
  'cross_site_request',
  'invite_unusable',
  // Management.
  'value_invalid',
  'conflict',
  // The service.
  'unavailable',
  'internal',
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** What a failure may tell a surface's table. Never a secret, never a stack. */
interface FailureDetail {
  /** Member, parameter or setting that was wrong, as the caller wrote it (`redirect_uris`, `refresh_token`). */
  readonly name?: string;
  /** What was wrong, in words for the caller. */
  readonly message?: string;
  /** The value asked for, where a documented message repeats it (`unsupported grant_type requested (…)`). */
  readonly value?: string;
  /** Scopes any of which would have permitted the call. */
  readonly scopes?: readonly string[];
  /** What a proof of possession has to hold (RFC 9449 §8); becomes `DPoP-Nonce`. */
  readonly nonce?: string;
  /** How the access token was presented; the challenge names the same scheme. */
  readonly scheme?: 'DPoP';
  /** Seconds until another try can succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The caller presented its credentials in the Authorization header (RFC 6749 §5.2 then wants a challenge). */
  readonly challenged?: boolean;
  /** For the log only: the true reason where the answer must not tell it. */
  readonly reason?: string;
}

/** A refusal by rule, or a fault the caller is told about by `code` alone. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly detail: FailureDetail;

  constructor(code: FailureCode, detail: FailureDetail = {}, options?: ErrorOptions) {
    super(detail.message ?? code, options);
    this.code = code;
    this.detail = detail;
  }
}
