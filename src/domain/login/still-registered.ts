import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import { isRegisteredUri } from '../clients/redirect-uris.ts';
import { allowedScope, isAboutUser } from '../tokens/scopes.ts';
import { scopesOfClaims } from './claims-request.ts';
import type { AskedConsent } from './consent.ts';
import { isOwnPages } from './own-pages.ts';

/** What of a request its client's registration decides about. */
export interface AskedOfRegistration extends AskedConsent {
  /** Null: a device, which is answered at no address. */
  readonly redirectUri: string | null;
}

export function askedOfRegistration(parameters: AuthorizationParameters): AskedOfRegistration {
  const { scope, serverId, claims, redirectUri, device } = parameters;
  return { scope, serverId, ...(claims && { claims }), redirectUri: device ? null : redirectUri };
}

/**
 * Whether a client's registration still has the redirect URI, and all about the user, that it asked for: it may have been
 * changed since. What a link to an API allows is looked at where an access token for that API is made.
 */
export function isStillRegistered(client: ClientRecord, { redirectUri, ...asked }: AskedOfRegistration): boolean {
  if (isOwnPages(client)) return true;
  const { redirectUris, applicationType } = client;
  if (redirectUri !== null && !isRegisteredUri(redirectUris, redirectUri, applicationType)) return false;
  const allowed = allowedScope(client);
  return [...asked.scope, ...scopesOfClaims(asked)].every((scope) => !isAboutUser(scope) || allowed.includes(scope));
}
