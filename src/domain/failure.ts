/**
 * The only failure type of the domain. A code names the reason, and each code has a kind. A surface handles every kind,
 * and may word single codes differently (`FailureTable`).
 */

/** What the failure is about. */
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
  // The resource is not in the state that the request names (`If-Match`).
  precondition_failed: 'request',
  // `Idempotency-Key`: a request with it is under way or its answer is lost; another request had it.
  key_in_use: 'request',
  key_reused: 'value',
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
  // Its `client_id` is an address where no usable metadata document is.
  client_document_unusable: 'client',
  client_authentication_failed: 'client',
  client_not_authorized: 'grant',
  // The client does not authenticate as its security profile asks.
  security_profile: 'client',
  grant_type_unsupported: 'value',
  grant_invalid: 'grant',
  // What a device is told while there are no tokens for it; `value` is the error code of RFC 8628 §3.5.
  device_code_unready: 'grant',
  scope_invalid: 'value',
  target_invalid: 'value',
  // Proof of possession (RFC 9449): the proof is invalid or has no current nonce.
  dpop_proof_invalid: 'value',
  dpop_nonce_required: 'value',
  access_token_invalid: 'caller',
  // Users.
  user_locked: 'user',
  user_suspended: 'user',
  user_inactive: 'user',
  access_not_assigned: 'user',
  // The console is for administrators alone.
  administrator_required: 'user',
  // A hook of the account refused the sign-in, or it failed and the account refuses sign-ins then.
  sign_in_refused: 'user',
  // Hosted pages.
  authorization_request_invalid: 'request',
  cross_site_request: 'request',
  invite_unusable: 'request',
  // Management.
  value_invalid: 'value',
  conflict: 'value',
  // The last administrator with `manage_all` gives it up.
  last_administrator: 'value',
  // The service.
  unavailable: 'unavailable',
  internal: 'internal',
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof kinds;

/** The codes of a kind. */
export type CodeOf<Kind extends FailureKind> = {
  [Code in FailureCode]: (typeof kinds)[Code] extends Kind ? Code : never;
}[FailureCode];

/** Details for a surface's table. Never a secret, never a stack. */
interface FailureDetail {
  /** The wrong member, parameter or setting, as the caller wrote it (`redirect_uris`, `refresh_token`). */
  readonly name?: string;
  /** What was wrong, worded for the caller. */
  readonly message?: string;
  /** The value sent, where a documented message repeats it (`unsupported grant_type requested (…)`). */
  readonly value?: string;
  /** Scopes any of which would have permitted the call. */
  readonly scopes?: readonly string[];
  /** The nonce for the next proof of possession (RFC 9449 §8); becomes `DPoP-Nonce`. */
  readonly nonce?: string;
  /** How the access token was presented; the challenge names the same scheme. */
  readonly scheme?: 'DPoP';
  /** Seconds until a retry can succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The caller sent its credentials in the Authorization header (RFC 6749 §5.2 then requires a challenge). */
  readonly challenged?: boolean;
  /** For the log only: the true reason where the response must not reveal it. */
  readonly reason?: string;
  /** Where the user can begin again: an address that the client registered. */
  readonly startAgain?: string;
  /** For who has the reference of the page only: the app that asked, and what it sent. */
  readonly asked?: { readonly appId?: number; readonly clientId?: string; readonly address?: string };
}

export function isOfKind<Kind extends FailureKind>(code: FailureCode, kind: Kind): code is CodeOf<Kind> {
  return kinds[code] === kind;
}

/** Whether the service was at fault, and not what the caller sent. A code that is not known is no fault of the service. */
export function isOurs(code: string): boolean {
  const { [code]: kind }: Readonly<Record<string, FailureKind>> = kinds;
  return kind === 'internal' || kind === 'unavailable';
}

/** A refusal by rule, or a fault that the caller learns by `code` alone. */
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
