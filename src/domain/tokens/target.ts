/** What is wrong with the API that a request names (RFC 8707 §2), or with the scope that it asks for there. */

import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { listed } from '../describe.ts';
import type { Failure } from '../failure.ts';
import {
  areTooMany,
  isByConsent,
  linkedServersOf,
  resourcesIn,
  serverNamed,
  serversOf,
  targetFault,
} from './audience.ts';
import { allowedScope, scopesOf } from './scopes.ts';

/** Identifiers of APIs that any client may ask for, with which a wrong one is compared. */
const mostCompared = 200;

/**
 * A client that has the API by its user's consent alone asks for a scope there: otherwise the user would allow something
 * that no page has shown.
 */
export function lacksApiScope(named: LinkedServer | null | undefined, scope: readonly string[]): boolean {
  return isByConsent(named) && !named?.scopes.some(({ value }) => scope.includes(value));
}

/**
 * Why `granted`, the part of the requested scope that this client can get at these servers, is too little; null if it is
 * enough. In words for the client.
 */
export function scopeFault(
  account: Pick<Account, 'settings'>,
  client: Pick<ClientRecord, 'scope'>,
  servers: readonly LinkedServer[],
  granted: readonly string[],
): string | null {
  const lacksApi = lacksApiScope(servers[0], granted);
  if (granted.length > 0 && !lacksApi) return null;
  const possible = lacksApi ? scopesOf(servers) : allowedScope(account, client, servers);
  return possible.length === 0
    ? 'the API has no scope that clients which are not linked to it can have'
    : `scope must contain one of ${listed(possible)}`;
}

/** What a request is about that may name an API. */
export interface Target {
  /** The one that is named, else all that the client is linked to. */
  readonly servers: readonly LinkedServer[];
  readonly named: LinkedServer | null;
  /** `target_invalid`: `resource` names none that the client can have, or several; `servers` is empty then. */
  readonly fault: Failure | null;
}

/** The servers of a request that is still to be allowed (RFC 8707 §2.1). */
export async function targetOf(
  services: { readonly store: Pick<StoreVerbs, 'authorizationServers'> },
  client: Pick<ClientRecord, 'accountId' | 'appId' | 'linkedServers'>,
  resource: string | null | undefined,
): Promise<Target> {
  if (!resource) return { servers: await linkedServersOf(services, client), named: null, fault: null };
  if (areTooMany(resourcesIn(resource))) return { servers: [], named: null, fault: targetFault([], resource) };
  const all = await serversOf(services, client, { resource });
  const named = serverNamed(all, resource);
  if (named) return { servers: [named], named, fault: null };
  const own = all.map(({ server }) => server.resourceIdentifier);
  const open = await services.store.authorizationServers.listOpenIdentifiers(client.accountId, mostCompared);
  return { servers: [], named: null, fault: targetFault([...new Set([...own, ...open])], resource) };
}
