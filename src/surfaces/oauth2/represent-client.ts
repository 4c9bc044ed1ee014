import contract from '../../../generated/oauth2.json' with { type: 'json' };
import type { components } from '../../../generated/oauth2.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { authMethods } from '../../domain/clients/client-methods.ts';
import { grantTypesOf } from '../../domain/clients/grant-types.ts';
import type { RegistrationRules } from '../../domain/clients/metadata.ts';
import type { Registration } from '../../domain/clients/register.ts';
import { keptMetadata } from '../../domain/clients/represent-metadata.ts';
import { pathOf } from '../../http/contract.ts';

/** The rules of this endpoint: RFC 7591 and OpenID Connect Registration. */
export const rules: RegistrationRules = {
  nameRequired: false,
  redirectUrisRequired: false,
  standard: true,
  authMethods,
  defaultGrantTypes: ['authorization_code', 'refresh_token'],
  defaultResponseTypes: ['code'],
};

/** RFC 7591 §3.2.1, RFC 7592 §3; what is not set is left out. */
export function representClient(
  { baseUrl }: Account,
  { client, clientSecret, registrationToken }: Registration,
): components['schemas']['RegisteredClient'] {
  return {
    ...keptMetadata(client),
    client_id: client.clientId,
    client_id_issued_at: Math.floor(client.createdAt / 1000),
    ...(clientSecret !== null && { client_secret: clientSecret, client_secret_expires_at: 0 }),
    ...(client.name !== '' && { client_name: client.name }),
    application_type: client.applicationType,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    token_endpoint_auth_method: client.authMethod,
    introspection_endpoint_auth_method: client.authMethod,
    revocation_endpoint_auth_method: client.authMethod,
    grant_types: grantTypesOf(client),
    response_types: client.responseTypes,
    subject_type: client.subjectType,
    id_token_signed_response_alg: client.idTokenAlg,
    require_auth_time: client.extra.require_auth_time ?? false,
    ...set(client.extra),
    app_id: client.appId,
    account_id: client.accountId,
    registration_access_token: registrationToken ?? '',
    registration_client_uri:
      baseUrl + pathOf(contract, 'readClient').replace('{client_id}', encodeURIComponent(client.clientId)),
  };
}

type Extra = Registration['client']['extra'];

/** Members that are left out unless they are set. */
const optional = [
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'dpop_bound_access_tokens',
  'tls_client_certificate_bound_access_tokens',
  'tls_client_auth_subject_dn',
  'tls_client_auth_san_dns',
  'tls_client_auth_san_uri',
  'tls_client_auth_san_ip',
  'tls_client_auth_san_email',
  'token_endpoint_auth_signing_alg',
  'userinfo_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'request_object_signing_alg',
  'sector_identifier_uri',
  'request_uris',
  'require_pushed_authorization_requests',
  'require_signed_request_object',
  'security_profile',
  'default_max_age',
  'logo_uri',
  'login_url',
  'software_version',
] as const satisfies (keyof Extra)[];

function set(extra: Extra): Pick<Extra, (typeof optional)[number]> {
  return Object.fromEntries(optional.filter((name) => extra[name] !== undefined).map((name) => [name, extra[name]]));
}
