/** A registration as sent, validated for types and sizes only. */
export interface RegistrationRequest {
  readonly client_name?: string;
  readonly application_type?: string;
  readonly redirect_uris?: readonly string[];
  readonly token_endpoint_auth_method?: string;
  readonly subject_type?: string;
  readonly grant_types?: readonly string[];
  readonly response_types?: readonly string[];
  readonly post_logout_redirect_uris?: readonly string[];
  readonly id_token_signed_response_alg?: string;
  readonly scope?: string;
  readonly logo_uri?: string;
  readonly login_url?: string;
  readonly initiate_login_uri?: string;
  readonly client_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly jwks_uri?: string;
  readonly jwks?: Readonly<Record<string, unknown>>;
  readonly contacts?: readonly string[];
  readonly software_id?: string;
}
