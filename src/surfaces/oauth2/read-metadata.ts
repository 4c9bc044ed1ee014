import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { components, operations } from '../../../generated/oauth2.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { certificateOrigin } from '../../domain/accounts/addresses.ts';
import { assertionAlgorithms } from '../../domain/clients/client-keys.ts';
import { offeredAuthMethods, profiledAuthMethods } from '../../domain/clients/client-methods.ts';
import { offeredGrantTypes } from '../../domain/clients/grant-types.ts';
import { signingAlgorithms, subjectTypes } from '../../domain/clients/known-values.ts';
import { profiledAlgorithms } from '../../domain/clients/security-profile.ts';
import { proofAlgorithms } from '../../domain/dpop/check-proof.ts';
import { multiFactor, singleFactor } from '../../domain/login/methods.ts';
import { responseModes } from '../../domain/login/response-mode.ts';
import { offeredResponseTypes } from '../../domain/login/response-type.ts';
import { offeredClaims } from '../../domain/tokens/claims.ts';
import { offeredScopes } from '../../domain/tokens/scopes.ts';
import { offeredMapping } from '../../domain/tokens/standard-claims.ts';
import { pathOf } from '../../http/contract.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type Metadata = components['schemas']['ProviderMetadata'];
type Needs = Pick<Services, 'store'>;

const cacheable = { 'cache-control': 'public, max-age=300' };

/** GET /.well-known/openid-configuration (OpenID Connect Discovery §4). */
export function readOpenIdConfiguration(services: Needs): Handler<operations['readOpenIdConfiguration']> {
  return async ({ origin }, respond) => respond(200, await representMetadata(services, origin.account), cacheable);
}

/** GET /.well-known/oauth-authorization-server (RFC 8414 §3): the same document. */
export function readAuthorizationServerMetadata(
  services: Needs,
): Handler<operations['readAuthorizationServerMetadata']> {
  return async ({ origin }, respond) => respond(200, await representMetadata(services, origin.account), cacheable);
}

/** Exactly what is turned on in the account. The store is asked only where claims are mapped. */
async function representMetadata(services: Needs, account: Account): Promise<Metadata> {
  const { baseUrl, settings } = account;
  const mapping = await offeredMapping(services, account);
  const isFapi = settings.securityProfile === 'fapi2';
  const clientMethods = (isFapi ? profiledAuthMethods : offeredAuthMethods)(settings);
  const clientAlgorithms = profiledAlgorithms(assertionAlgorithms, isFapi);
  const ownAlgorithms = profiledAlgorithms(signingAlgorithms, isFapi);
  const aliases = certificateOrigin(settings);
  const at = (operationId: keyof operations) => baseUrl + pathOf(contract, operationId);
  return {
    issuer: baseUrl,
    authorization_endpoint: at('requestAuthorization'),
    token_endpoint: at('issueToken'),
    device_authorization_endpoint: at('beginDeviceAuthorization'),
    userinfo_endpoint: at('readUserinfo'),
    jwks_uri: at('readKeys'),
    ...(settings.registration !== 'closed' && { registration_endpoint: at('registerClient') }),
    end_session_endpoint: at('endSession'),
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    introspection_endpoint: at('introspectToken'),
    revocation_endpoint: at('revokeToken'),
    scopes_supported: [...offeredScopes(mapping), 'offline_access'],
    response_types_supported: offeredResponseTypes(account),
    response_modes_supported: responseModes,
    grant_types_supported: offeredGrantTypes(settings),
    subject_types_supported: subjectTypes,
    id_token_signing_alg_values_supported: ownAlgorithms,
    userinfo_signing_alg_values_supported: ownAlgorithms,
    authorization_signing_alg_values_supported: ownAlgorithms,
    introspection_signing_alg_values_supported: ownAlgorithms,
    token_endpoint_auth_methods_supported: clientMethods,
    token_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    introspection_endpoint_auth_methods_supported: clientMethods,
    introspection_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    revocation_endpoint_auth_methods_supported: clientMethods,
    revocation_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    code_challenge_methods_supported: ['S256'],
    ...(settings.mutualTls !== 'off' && { tls_client_certificate_bound_access_tokens: true }),
    ...(aliases !== null && { mtls_endpoint_aliases: aliasesAt(aliases) }),
    dpop_signing_alg_values_supported: profiledAlgorithms(proofAlgorithms, isFapi),
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    acr_values_supported: [singleFactor, multiFactor],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'amr', 'acr', 'sid'],
      ...offeredClaims(mapping),
    ],
    display_values_supported: ['page'],
    ui_locales_supported: ['en'],
    authorization_response_iss_parameter_supported: true,
    ...(settings.documentHosts !== 'off' && { client_id_metadata_document_supported: true }),
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    request_object_signing_alg_values_supported: clientAlgorithms,
    require_signed_request_object: false,
    pushed_authorization_request_endpoint: at('pushAuthorizationRequest'),
    require_pushed_authorization_requests: isFapi,
    service_documentation: `${baseUrl}/docs`,
  };
}

/** RFC 8705 §5: what clients call themselves. */
function aliasesAt(origin: string): NonNullable<Metadata['mtls_endpoint_aliases']> {
  const at = (operationId: keyof operations) => origin + pathOf(contract, operationId);
  return {
    token_endpoint: at('issueToken'),
    device_authorization_endpoint: at('beginDeviceAuthorization'),
    userinfo_endpoint: at('readUserinfo'),
    introspection_endpoint: at('introspectToken'),
    revocation_endpoint: at('revokeToken'),
    pushed_authorization_request_endpoint: at('pushAuthorizationRequest'),
  };
}
