/**
 * Parameters of the authorization endpoint (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636 §4.3, RFC 8707
 * §2.1, RFC 9449 §10), each with its maximum length in characters. The contract states the same limits for queries and
 * forms.
 */
export const longestParameters = {
  response_type: 64,
  client_id: 255,
  redirect_uri: 2048,
  scope: 1024,
  state: 2048,
  nonce: 512,
  code_challenge: 128,
  code_challenge_method: 64,
  response_mode: 64,
  prompt: 128,
  max_age: 10,
  login_hint: 255,
  id_token_hint: 8192,
  claims: 4096,
  acr_values: 512,
  resource: 2048,
  dpop_jkt: 128,
} as const;

type ParameterName = keyof typeof longestParameters;

/** An authorization request as the service understands it. */
export type AuthorizationQuery = { readonly [Name in ParameterName]?: string };

/**
 * An authorization request as it is sent: the parameters themselves or a reference to them (RFC 9101 §5, RFC 9126 §4).
 */
export interface SentQuery extends AuthorizationQuery {
  readonly request?: string;
  readonly request_uri?: string;
}

export const parameterNames = Object.keys(longestParameters) as ParameterName[];
