/** Client metadata, with the member names of the protocols. */

import type { SigningAlgorithm } from './keys.ts';

export type ClientAuthMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'none'
  | 'private_key_jwt'
  | 'tls_client_auth'
  | 'self_signed_tls_client_auth';

export type ResponseType = 'code' | 'id_token token' | 'id_token';

/** A public key of a client (RFC 7517 §4, RFC 7518 §6). */
export interface ClientKey {
  readonly kty: string;
  readonly kid?: string;
  readonly use?: string;
  readonly alg?: string;
  readonly n?: string;
  readonly e?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

/** A key that a client registered, perhaps with its certificate. */
export interface RegisteredKey extends ClientKey {
  /** DER in base64; of a chain the first certificate alone. */
  readonly x5c?: readonly string[];
}

/** Of the subject of a client's certificate, what says which client it is (RFC 8705 §2.1.2). One of them is there. */
export interface CertificateSubject {
  readonly tls_client_auth_subject_dn?: string;
  readonly tls_client_auth_san_dns?: string;
  readonly tls_client_auth_san_uri?: string;
  readonly tls_client_auth_san_ip?: string;
  readonly tls_client_auth_san_email?: string;
}

/** Signing algorithms of clients (RFC 7518 §3.1; the last two are the same, by RFC 8037 §3.1 and RFC 9864 §2.2). */
export type AssertionAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519';

/** Metadata that both registration endpoints take and that is stored unchanged. */
export interface UnchangedMetadata {
  readonly logo_uri?: string;
  readonly login_url?: string;
  readonly initiate_login_uri?: string;
  readonly client_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly jwks_uri?: string;
  readonly contacts?: readonly string[];
  readonly software_id?: string;
}

/** Optional client metadata, stored under its own names (RFC 7591 §2). */
export interface ExtraMetadata extends UnchangedMetadata, CertificateSubject {
  readonly jwks?: { readonly keys: readonly RegisteredKey[] };
  readonly software_version?: string;
  /** Seconds (OpenID Connect Registration §2). */
  readonly default_max_age?: number;
  readonly require_auth_time?: boolean;
  /** Where the client is notified that a session ended (OpenID Connect Back-Channel Logout §2.2). */
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  /** Whether all its access tokens must be bound to a key (RFC 9449 §5.2). */
  readonly dpop_bound_access_tokens?: boolean;
  /** Whether all its access tokens must be bound to the certificate of its connection (RFC 8705 §3.4). */
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  /** The algorithm of the client's assertions; absent: any supported one. */
  readonly token_endpoint_auth_signing_alg?: AssertionAlgorithm;
  /** The algorithm of the client's request objects; absent: any supported one. */
  readonly request_object_signing_alg?: AssertionAlgorithm;
  /** The algorithm with which userinfo is signed; absent: plain JSON. */
  readonly userinfo_signed_response_alg?: SigningAlgorithm;
  /** The algorithm of signed authorization answers (JARM §3); absent: RS256. */
  readonly authorization_signed_response_alg?: SigningAlgorithm;
  /** The algorithm of signed introspection answers (RFC 9701 §6); absent: RS256. */
  readonly introspection_signed_response_alg?: SigningAlgorithm;
  /** Where the client's request objects may be fetched. */
  readonly request_uris?: readonly string[];
  /** Where the redirect URIs of a sector are listed. */
  readonly sector_identifier_uri?: string;
  /** The profile that the client follows even if its account does not ask it of all. */
  readonly security_profile?: 'fapi2';
  /** Whether the client must push all its requests (RFC 9126 §6). */
  readonly require_pushed_authorization_requests?: boolean;
  /** Whether the client must sign all its requests (RFC 9101 §10.5). */
  readonly require_signed_request_object?: boolean;
}
