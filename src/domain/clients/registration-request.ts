import type { CertificateSubject, UnchangedMetadata } from '../../store/client-metadata.ts';

/** Members that only the standard endpoint reads; the other one ignores them whatever they contain. */
interface StandardMembers extends CertificateSubject {
  readonly software_version?: string;
  readonly software_statement?: string;
  readonly token_endpoint_auth_signing_alg?: string;
  readonly dpop_bound_access_tokens?: boolean;
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  readonly default_max_age?: number;
  readonly require_auth_time?: boolean;
  readonly sector_identifier_uri?: string;
  readonly id_token_encrypted_response_alg?: string;
  readonly id_token_encrypted_response_enc?: string;
  readonly userinfo_signed_response_alg?: string;
  readonly userinfo_encrypted_response_alg?: string;
  readonly userinfo_encrypted_response_enc?: string;
  readonly authorization_signed_response_alg?: string;
  readonly authorization_encrypted_response_alg?: string;
  readonly authorization_encrypted_response_enc?: string;
  readonly introspection_signed_response_alg?: string;
  readonly introspection_encrypted_response_alg?: string;
  readonly introspection_encrypted_response_enc?: string;
  readonly request_object_signing_alg?: string;
  readonly request_uris?: readonly string[];
  readonly require_pushed_authorization_requests?: boolean;
  readonly require_signed_request_object?: boolean;
  readonly security_profile?: string;
  readonly request_object_encryption_alg?: string;
  readonly request_object_encryption_enc?: string;
}

/** A registration as sent, validated for types and sizes only. */
export interface RegistrationRequest extends UnchangedMetadata, StandardMembers {
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
  readonly jwks?: Readonly<Record<string, unknown>>;
}
