/** Members of OpenID Connect Registration §2 and RFC 7591 §2 that the documented endpoint does not know. */

import type { AssertionAlgorithm, ExtraMetadata } from '../../store/client-metadata.ts';
import type { SigningAlgorithm } from '../../store/keys.ts';
import { Failure } from '../failure.ts';
import { readSubject } from './certificate-subject.ts';
import { assertionAlgorithms } from './client-keys.ts';
import { invalid, pageUriFault } from './extra-metadata.ts';
import { signingAlgorithms } from './known-values.ts';
import { mostRedirectUris, redirectUriFault } from './redirect-uris.ts';
import type { RegistrationRequest } from './registration-request.ts';

/**
 * Members that the service does not support. Each promises protection or a format that the client would not get, so the
 * registration is refused. `docs/registration.md` lists them, and those that are ignored.
 */
const notOffered = [
  'id_token_encrypted_response_alg',
  'id_token_encrypted_response_enc',
  'userinfo_encrypted_response_alg',
  'userinfo_encrypted_response_enc',
  'authorization_encrypted_response_alg',
  'authorization_encrypted_response_enc',
  'introspection_encrypted_response_alg',
  'introspection_encrypted_response_enc',
  'request_object_encryption_alg',
  'request_object_encryption_enc',
] as const satisfies (keyof RegistrationRequest)[];

/**
 * Reads the supported members. Throws `software_statement_invalid`, and `client_metadata_invalid` for unsupported ones.
 */
export function readStandardMembers(request: RegistrationRequest): ExtraMetadata {
  if (request.software_statement !== undefined) {
    throw new Failure('software_statement_invalid', {
      name: 'software_statement',
      message: 'software statements are not accepted: no issuer is trusted',
    });
  }
  const refused = notOffered.find((name) => request[name] !== undefined);
  if (refused !== undefined) throw invalid(refused, 'is not supported');
  return {
    ...readBackchannel(request),
    ...readAlgorithm(request, 'token_endpoint_auth_signing_alg'),
    ...readAlgorithm(request, 'request_object_signing_alg'),
    ...readOwnAlgorithm(request, 'userinfo_signed_response_alg'),
    ...readOwnAlgorithm(request, 'authorization_signed_response_alg'),
    ...readOwnAlgorithm(request, 'introspection_signed_response_alg'),
    ...readRequestUris(request.request_uris),
    ...readSectorUri(request.sector_identifier_uri),
    ...(request.require_pushed_authorization_requests !== undefined && {
      require_pushed_authorization_requests: request.require_pushed_authorization_requests,
    }),
    ...(request.require_signed_request_object !== undefined && {
      require_signed_request_object: request.require_signed_request_object,
    }),
    ...readProfile(request.security_profile),
    ...(request.software_version && { software_version: request.software_version }),
    ...(request.default_max_age !== undefined && { default_max_age: request.default_max_age }),
    ...(request.dpop_bound_access_tokens !== undefined && {
      dpop_bound_access_tokens: request.dpop_bound_access_tokens,
    }),
    ...(request.tls_client_certificate_bound_access_tokens !== undefined && {
      tls_client_certificate_bound_access_tokens: request.tls_client_certificate_bound_access_tokens,
    }),
    // They say nothing of a client that authenticates in another way.
    ...(request.token_endpoint_auth_method === 'tls_client_auth' && readSubject(request)),
    ...(request.require_auth_time !== undefined && { require_auth_time: request.require_auth_time }),
  };
}

function readAlgorithm<const Name extends 'token_endpoint_auth_signing_alg' | 'request_object_signing_alg'>(
  request: RegistrationRequest,
  name: Name,
): { readonly [Member in Name]?: AssertionAlgorithm } {
  const asked = request[name];
  if (asked === undefined) return {};
  const known = assertionAlgorithms.find((one) => one === asked);
  if (!known) throw invalid(name, `must be ${assertionAlgorithms.join(' or ')}`);
  return { [name]: known } as { readonly [Member in Name]?: AssertionAlgorithm };
}

type OwnAlgorithmMember =
  | 'userinfo_signed_response_alg'
  | 'authorization_signed_response_alg'
  | 'introspection_signed_response_alg';

/** What this service signs for the client (OpenID Connect Registration §2, JARM §3, RFC 9701 §6). */
function readOwnAlgorithm<const Name extends OwnAlgorithmMember>(
  request: RegistrationRequest,
  name: Name,
): { readonly [Member in Name]?: SigningAlgorithm } {
  const asked = request[name];
  if (asked === undefined) return {};
  const known = signingAlgorithms.find((one) => one === asked);
  if (!known) throw invalid(name, `must be ${signingAlgorithms.join(' or ')}`);
  return { [name]: known } as { readonly [Member in Name]?: SigningAlgorithm };
}

function readProfile(asked: string | undefined): Pick<ExtraMetadata, 'security_profile'> {
  if (asked === undefined) return {};
  if (asked !== 'fapi2') throw invalid('security_profile', 'must be fapi2');
  return { security_profile: asked };
}

/** OpenID Connect Registration §2: https. */
function readSectorUri(uri: string | undefined): Pick<ExtraMetadata, 'sector_identifier_uri'> {
  const fault = uri ? pageUriFault(uri, true) : null;
  if (fault) throw invalid('sector_identifier_uri', fault);
  return uri ? { sector_identifier_uri: uri } : {};
}

/** OpenID Connect Registration §2: where request objects may be; nothing is fetched until a request names one. */
function readRequestUris(uris: readonly string[] | undefined): Pick<ExtraMetadata, 'request_uris'> {
  if (uris === undefined) return {};
  const name = 'request_uris';
  if (uris.length > mostRedirectUris) throw invalid(name, `must have at most ${mostRedirectUris} URIs`);
  for (const [index, uri] of uris.entries()) {
    // The fragment is a digest of the object, which shows when the object has changed.
    const fault = pageUriFault(uri, true);
    if (fault) throw invalid(`${name}[${index}]`, fault);
  }
  return { request_uris: uris };
}

/**
 * OpenID Connect Back-Channel Logout §2.2: an absolute URI without a fragment; it is called as the setting EGRESS
 * permits.
 */
function readBackchannel(
  request: RegistrationRequest,
): Pick<ExtraMetadata, 'backchannel_logout_uri' | 'backchannel_logout_session_required'> {
  const { backchannel_logout_uri: uri, backchannel_logout_session_required: required } = request;
  const fault = uri ? redirectUriFault(uri, 'web') : null;
  if (fault) throw invalid('backchannel_logout_uri', fault);
  return {
    ...(uri && { backchannel_logout_uri: uri }),
    ...(required !== undefined && { backchannel_logout_session_required: required }),
  };
}
