/** What FAPI 2.0 Security Profile asks of a registration: its defaults, and what it excludes. */

import type { AccountSettings } from '../accounts/settings.ts';
import { Failure } from '../failure.ts';
import { profiledAuthMethods, usesCertificate } from './client-methods.ts';
import { invalid } from './extra-metadata.ts';
import { type ClientMetadata, type RegistrantKind, type RegistrationRules, readMetadata } from './metadata.ts';
import type { RegistrationRequest } from './registration-request.ts';
import { profiledRedirectFault } from './security-profile.ts';

/**
 * The metadata of a client that registers itself: by its account's profile, or the one that it names. Throws as
 * `readMetadata` does, also for what the profile excludes.
 */
export function readProfiledMetadata(
  request: RegistrationRequest,
  rules: RegistrationRules,
  registrant: RegistrantKind & Pick<AccountSettings, 'securityProfile' | 'mutualTls'>,
): ClientMetadata {
  const isFapi = registrant.securityProfile === 'fapi2' || (rules.standard && request.security_profile === 'fapi2');
  if (!isFapi) return readMetadata(request, rules, registrant);
  if (!rules.standard) {
    throw invalid(
      'token_endpoint_auth_method',
      `must be ${profiledAuthMethods(registrant).join(' or ')}, which POST /oauth2/register takes (FAPI 2.0)`,
    );
  }
  const metadata = readMetadata(withProfileDefaults(request), rules, registrant);
  requireProfiled(metadata, registrant);
  return metadata;
}

/** The request with the defaults of the profile in place of the usual ones, and what it asks of every client. */
function withProfileDefaults(request: RegistrationRequest): RegistrationRequest {
  return {
    token_endpoint_auth_method: 'private_key_jwt',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    id_token_signed_response_alg: 'PS256',
    ...boundBy(request),
    require_pushed_authorization_requests: true,
    ...request,
  };
}

/** By default tokens are bound to what the client authenticates by: a certificate, or else a key. */
function boundBy({
  token_endpoint_auth_method: method,
  dpop_bound_access_tokens: byKey,
  tls_client_certificate_bound_access_tokens: byCertificate,
}: RegistrationRequest): Partial<RegistrationRequest> {
  return (byCertificate ?? (usesCertificate(method) && byKey === undefined))
    ? { tls_client_certificate_bound_access_tokens: true }
    : { dpop_bound_access_tokens: true };
}

/** Throws `client_metadata_invalid` or `redirect_uri_invalid` for the first member that the profile excludes. */
function requireProfiled(metadata: ClientMetadata, registrant: Pick<AccountSettings, 'mutualTls'>): void {
  const { authMethod, responseTypes, grantTypes, redirectUris, idTokenAlg, extra } = metadata;
  const excluded = (name: string, message: string) => invalid(name, `${message} (FAPI 2.0)`);
  const methods = profiledAuthMethods(registrant);
  if (!methods.includes(authMethod)) throw excluded('token_endpoint_auth_method', `must be ${methods.join(' or ')}`);
  if (responseTypes.some((type) => type !== 'code')) throw excluded('response_types', 'must be code');
  const grantType = grantTypes.find((one) => one === 'password' || one === 'implicit');
  if (grantType !== undefined) throw excluded('grant_types', `must not contain ${grantType}`);
  const signed = { ...extra, id_token_signed_response_alg: idTokenAlg };
  const weak = algorithmMembers.find((name) => signed[name] === 'RS256');
  if (weak !== undefined) throw excluded(weak, 'must not be RS256');
  if (!extra.dpop_bound_access_tokens && !extra.tls_client_certificate_bound_access_tokens)
    throw excluded('dpop_bound_access_tokens', 'must be true, or tls_client_certificate_bound_access_tokens');
  if (extra.require_pushed_authorization_requests !== true)
    throw excluded('require_pushed_authorization_requests', 'must be true');
  for (const [index, uri] of redirectUris.entries()) {
    const fault = profiledRedirectFault(uri, metadata);
    if (fault === null) continue;
    throw new Failure('redirect_uri_invalid', {
      name: 'redirect_uris',
      message: `redirect_uris[${index}] ${fault}`,
    });
  }
}

const algorithmMembers = [
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'token_endpoint_auth_signing_alg',
  'request_object_signing_alg',
] as const;
