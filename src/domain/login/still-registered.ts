import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import { isRegisteredUri } from '../clients/redirect-uris.ts';
import { isAboutUser, registeredScope } from '../tokens/scopes.ts';
import { scopesOfClaims } from './claims-request.ts';
import type { AskedConsent } from './consent.ts';
import { isOwnPages } from './own-pages.ts';

/** The parts of a request that its client's registration permits. */
export interface AskedOfRegistration extends AskedConsent {
  /** Null for a device, which has no redirect URI. */
  readonly redirectUri: string | null;
}

export function askedOfRegistration(parameters: AuthorizationParameters): AskedOfRegistration {
  const { scope, serverId, claims, redirectUri, device } = parameters;
  return { scope, serverId, ...(claims && { claims }), redirectUri: device ? null : redirectUri };
}

/**
 * Whether the client's registration still permits the redirect URI and the scopes about the user. It may have changed
 * since the request. Access to an API is checked where an access token for that API is issued.
 */
export function isStillRegistered(client: ClientRecord, { redirectUri, ...asked }: AskedOfRegistration): boolean {
  if (isOwnPages(client)) return true;
  const { redirectUris, applicationType } = client;
  if (redirectUri !== null && !isRegisteredUri(redirectUris, redirectUri, applicationType)) return false;
  const registered = registeredScope(client);
  return [...asked.scope, ...scopesOfClaims(asked)].every((scope) => !isAboutUser(scope) || registered.includes(scope));
}
