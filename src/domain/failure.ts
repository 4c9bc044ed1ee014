/**
 * The one failure type of the domain. A code names the reason, and each code is of one kind. A surface answers every
 * kind, and gives those codes words of their own for which it has any (`FailureTable`).
 */

/** What is wrong. */
export type FailureKind =
  /** The address: no account or resource has it. */
  | 'not_found'
  /** The method: the resource has others. */
  | 'method'
  /** The size of the body. */
  | 'size'
  /** The rate of requests. */
  | 'rate'
  /** The request: it cannot be read, or is not what the contract documents. */
  | 'request'
  /** A value: the request can be read, but breaks a rule. */
  | 'value'
  /** The caller of the API: not known, or without the scope. */
  | 'caller'
  /** The OAuth client: not known, or without its proof. */
  | 'client'
  /** The grant: what the client presents, or may ask for, gives it no tokens. */
  | 'grant'
  /** The user: may not sign in. */
  | 'user'
  /** The service: it cannot answer now. */
  | 'unavailable'
  /** The service: it is at fault. */
  | 'internal';

const kinds = {
  // The request itself.
  account_unknown: 'not_found',
  not_found: 'not_found',
  method_not_allowed: 'method',
  media_type_unsupported: 'request',
  body_too_large: 'size',
  request_malformed: 'request',
  request_invalid: 'request',
  parameter_missing: 'request',
  parameter_repeated: 'request',
  rate_limited: 'rate',
  // Callers of the API.
  caller_unauthenticated: 'caller',
  scope_insufficient: 'caller',
  credential_authentication_failed: 'caller',
  api_key_invalid: 'caller',
  // Registration of clients.
  registration_closed: 'grant',
  redirect_uri_invalid: 'value',
  client_metadata_invalid: 'value',
  software_statement_invalid: 'value',
  // Clients and grants.
  authorization_header_malformed: 'client',
  client_unknown: 'client',
  client_authentication_failed: 'client',
  client_not_authorized: 'grant',
  grant_type_unsupported: 'value',
  grant_invalid: 'grant',
  // What a device is told while there are no tokens for it; `value` is the word of RFC 8628 §3.5.
  device_code_unready: 'grant',
  scope_invalid: 'value',
  target_invalid: 'value',
  // Proof of possession (RFC 9449): the proof is no good, or holds no nonce of now.
  dpop_proof_invalid: 'value',
  dpop_nonce_required: 'value',
  access_token_invalid: 'caller',
  // Users.
  user_locked: 'user',
  user_suspended: 'user',
  user_inactive: 'user',
  access_not_assigned: 'user',
  // A hook of the account refused the sign-in, or failed and the account wants nobody signed in then.
  sign_in_refused: 'user',
  // Hosted pages.
  authorization_request_invalid: 'request',
  cross_site_request: 'request',
  invite_unusable: 'request',
  // Management.
  value_invalid: 'value',
  conflict: 'value',
  // The service.
  unavailable: 'unavailable',
  internal: 'internal',
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof kinds;

/** The codes of a kind. */
export type CodeOf<Kind extends FailureKind> = {
  [Code in FailureCode]: (typeof kinds)[Code] extends Kind ? Code : never;
}[FailureCode];

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

export function isOfKind<Kind extends FailureKind>(code: FailureCode, kind: Kind): code is CodeOf<Kind> {
  return kinds[code] === kind;
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

  get kind(): FailureKind {
    return kinds[this.code];
  }
}
