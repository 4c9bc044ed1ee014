/** Parameters of the authorization endpoint as sent (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1, RFC 7636 §4.3, RFC 8707 §2.1). */
export interface AuthorizationQuery {
  readonly response_type?: string;
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly scope?: string;
  readonly state?: string;
  readonly nonce?: string;
  readonly code_challenge?: string;
  readonly code_challenge_method?: string;
  readonly response_mode?: string;
  readonly prompt?: string;
  readonly max_age?: string;
  readonly login_hint?: string;
  readonly acr_values?: string;
  readonly id_token_hint?: string;
  readonly claims?: string;
  readonly resource?: string;
  readonly request?: string;
  readonly request_uri?: string;
}
