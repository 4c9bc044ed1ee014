import type { components } from '../../../generated/oidc-2.ts';
import { documentedAuthMethods } from '../../domain/clients/client-methods.ts';
import { hasGrantType } from '../../domain/clients/grant-types.ts';
import { documentedGrantTypes } from '../../domain/clients/known-values.ts';
import type { Registration } from '../../domain/clients/register.ts';
import { keptMetadata } from '../../domain/clients/represent-metadata.ts';
import { Failure } from '../../domain/failure.ts';

/** The client was registered here, so its method is one of the three known ones. */
function methodOf({ authMethod }: Registration['client']) {
  const method = documentedAuthMethods.find((one) => one === authMethod);
  if (!method) throw new Failure('internal', { reason: `the documented door does not know ${authMethod}` });
  return method;
}

/**
 * A client as the documented endpoint returns it: every member of the document's §2.1, and the optional ones that are
 * set.
 */
export function representClient({ client, clientSecret }: Registration): components['schemas']['RegisteredClient'] {
  return {
    ...keptMetadata(client),
    application_type: client.applicationType,
    grant_types: documentedGrantTypes.filter((one) => hasGrantType(client, one)),
    id_token_signed_response_alg: client.idTokenAlg,
    require_auth_time: false,
    response_types: client.responseTypes,
    subject_type: client.subjectType,
    token_endpoint_auth_method: methodOf(client),
    introspection_endpoint_auth_method: methodOf(client),
    revocation_endpoint_auth_method: methodOf(client),
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    client_id_issued_at: Math.floor(client.createdAt / 1000),
    client_id: client.clientId,
    client_name: client.name,
    client_secret_expires_at: 0,
    ...(clientSecret !== null && { client_secret: clientSecret }),
    logo_uri: client.extra.logo_uri ?? '',
    login_url: client.extra.login_url ?? '',
    redirect_uris: client.redirectUris,
    app_id: client.appId,
    account_id: client.accountId,
  };
}
