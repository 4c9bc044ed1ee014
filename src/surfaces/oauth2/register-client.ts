import type { components, operations } from '../../../generated/oauth2.ts';
import type { RegistrationRules } from '../../domain/clients/metadata.ts';
import { type Registration, registerClient as register } from '../../domain/clients/register.ts';
import { keptMetadata } from '../../domain/clients/represent-metadata.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const rules: RegistrationRules = {
  nameRequired: false,
  redirectUrisRequired: false,
  defaultGrantTypes: ['authorization_code', 'refresh_token'],
  defaultResponseTypes: ['code'],
};

/** POST /oauth2/register (RFC 7591 §3): 201 with the client's metadata. */
export function registerClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'limits' | 'vault'>,
): Handler<operations['registerClient']> {
  return async ({ body, caller, origin }, respond) => {
    const registrant = { caller, source: origin.source, openAllowed: true };
    return respond(201, representClient(await register(services, origin.account, registrant, body, rules)));
  };
}

/** RFC 7591 §3.2.1; what is not set is left out. */
function representClient({ client, clientSecret }: Registration): components['schemas']['RegisteredClient'] {
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
    grant_types: client.grantTypes,
    response_types: client.responseTypes,
    subject_type: client.subjectType,
    id_token_signed_response_alg: client.idTokenAlg,
    require_auth_time: false,
    ...(client.extra.logo_uri !== undefined && { logo_uri: client.extra.logo_uri }),
    ...(client.extra.login_url !== undefined && { login_url: client.extra.login_url }),
    app_id: client.appId,
    account_id: client.accountId,
  };
}
