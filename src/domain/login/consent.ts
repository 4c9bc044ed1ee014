/** Which scopes a user is asked to consent to, and what was allowed before. */

import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { AuthorizationServerRecord, LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isConsole } from '../clients/console-client.ts';
import { documentMark, isDocumentMark, isUnstored } from '../clients/document-client.ts';
import { isDocumentId } from '../clients/document-url.ts';
import { isAnybodysUri } from '../clients/redirect-uris.ts';
import { serversOf } from '../tokens/audience.ts';
import { apiScopeNames, isAboutUser } from '../tokens/scopes.ts';
import type { OpenRequest } from './authorization-request.ts';
import { scopesOfClaims } from './claims-request.ts';
import { isOwnPages } from './own-pages.ts';

/** The members of a request that consent depends on. */
export type AskedConsent = Pick<AuthorizationParameters, 'scope' | 'serverId' | 'claims' | 'offlineAccess'>;

/** Tokens never have this scope and no API does, but the user is asked about it (OpenID Connect Core §11). */
const offlineAccess = 'offline_access';

/**
 * The scopes that a user is asked about: the requested ones, those of single requested claims, and `offline_access`.
 */
export function consentScopes(parameters: AskedConsent): readonly string[] {
  const offline = parameters.offlineAccess ? [offlineAccess] : [];
  return [...new Set([...parameters.scope, ...scopesOfClaims(parameters), ...offline])];
}

/**
 * The names under which consent to a request is stored. An API's scope is stored with its API, because another API,
 * linked now or later, may have a scope of the same name.
 */
function consentNames(parameters: AskedConsent, servers: readonly LinkedServer[]): readonly string[] {
  const { scope, serverId } = parameters;
  const ofNoApi = consentScopes(parameters).filter((name) => isAboutUser(name) || name === offlineAccess);
  return [...ofNoApi, ...apiScopeNames(scope, serverId, servers)];
}

/** The requested scopes that belong to stored names; older releases stored scopes of APIs without the API. */
export function scopesOfConsent(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => !isDocumentMark(name)).map((name) => name.split(' ', 1)[0] ?? name))];
}

/**
 * Whether the user has allowed everything that a request asks for, at each of the client's `servers` that it is for.
 */
export function isAllowed(
  parameters: AskedConsent,
  allowed: readonly string[],
  servers: readonly LinkedServer[],
): boolean {
  // Both may be thousands: the scopes of all APIs of a client.
  const known = new Set(allowed);
  return consentNames(parameters, servers).every((name) => known.has(name));
}

/** The same of the part that is about APIs alone. */
export function isAllowedAtApis(
  { scope, serverId }: Pick<AskedConsent, 'scope' | 'serverId'>,
  allowed: readonly string[],
  servers: readonly LinkedServer[],
): boolean {
  const known = new Set(allowed);
  return apiScopeNames(scope, serverId, servers).every((name) => known.has(name));
}

/**
 * Whether consent to the client outlives the sign-in. To one that anyone registered only where the account says so, and
 * never where another program could answer to its name (RFC 8252 §8.6).
 */
export function isConsentRemembered(
  { settings }: Pick<Account, 'settings'>,
  client: Pick<ClientRecord, 'registeredBy' | 'authMethod' | 'redirectUris' | 'grantTypes'>,
): boolean {
  const { registeredBy, authMethod, redirectUris, grantTypes } = client;
  if (registeredBy === 'token') return true;
  // In the implicit flow a client with a secret does not show it either.
  const isUnproven = authMethod === 'none' || grantTypes.includes('implicit');
  return settings.openRegistrationConsent === 'remembered' && !(isUnproven && redirectUris.some(isAnybodysUri));
}

/** Whether the user has to be asked, where the client is linked to these API authorization servers. */
export async function needsConsent(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizations'> },
  account: Account,
  { record, client }: OpenRequest,
  user: UserRecord,
  serversOfClient: () => Promise<readonly LinkedServer[]>,
): Promise<boolean> {
  if (isOwnPages(client) || isConsole(client)) return false;
  if (isUnstored(client)) return true;
  const { parameters, decision, decidedBy } = record;
  const servers = await serversOfClient();
  const isDecided = decision === 'allow' && decidedBy === user.id;
  if (isDecided && isAllowedAtApis(parameters, parameters.apiScopes ?? [], servers)) return false;
  // Who typed the code has to see whose device it is: nothing that was remembered says that (RFC 8628 §5.4).
  if (parameters.device) return true;
  if (!isConsentRemembered(account, client) || parameters.prompt.includes('consent')) return true;
  const allowed = await store.authorizations.findConsent(account.id, user.id, client.appId);
  if (allowed === null || !isAllowed(parameters, allowed, servers)) return true;
  return isDocumentId(client.clientId) && !allowed.includes(documentMark(client));
}

/** The names to store when a user allows a request, besides those that were allowed before. */
export function withConsent(
  former: readonly string[],
  client: ClientRecord,
  parameters: AskedConsent,
  servers: readonly LinkedServer[],
): readonly string[] {
  const mark = isDocumentId(client.clientId) ? [documentMark(client)] : [];
  // What was allowed to another document was not allowed to this one.
  const kept = mark.every((name) => former.includes(name)) ? former : [];
  return [...new Set([...kept, ...consentNames(parameters, servers), ...mark])];
}

/** A scope that is asked for at one API, as the consent page shows it. */
export interface ApiScope {
  readonly value: string;
  /** As the API's owner describes it. */
  readonly description: string | null;
  readonly server: Pick<AuthorizationServerRecord, 'id' | 'name' | 'resourceIdentifier'>;
  /** What the API's tokens tell of the user besides, by the names of the claims. */
  readonly claims: readonly string[];
}

/** The scopes asked for that are an API's: of several APIs that have one of the same name, each. */
export async function apiScopesOf(
  services: Pick<Services, 'store'>,
  { record, client }: OpenRequest,
): Promise<readonly ApiScope[]> {
  const { scope, serverId } = record.parameters;
  const servers = await serversOf(services, client, { serverId });
  const named = servers.filter(({ server }) => serverId === null || server.id === serverId);
  const wanted = new Set(scope);
  return named.flatMap(({ server, scopes, claims }) =>
    scopes
      .filter(({ value }) => wanted.has(value))
      .map(({ value, description }) => ({ value, description, server, claims: claims.map(({ label }) => label) })),
  );
}
