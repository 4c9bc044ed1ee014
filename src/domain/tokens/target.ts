/** What is wrong with the API that a request names (RFC 8707 §2). */

import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Failure } from '../failure.ts';
import { isByConsent, targetFault } from './audience.ts';

/** Identifiers of APIs that any client may ask for, with which a wrong one is compared. */
const mostCompared = 200;

/**
 * A client that has the API by its user's consent alone asks for a scope there: otherwise the user would allow something
 * that no page has shown.
 */
export function lacksApiScope(named: LinkedServer | null | undefined, scope: readonly string[]): boolean {
  return isByConsent(named) && !named?.scopes.some(({ value }) => scope.includes(value));
}

/** `target_invalid` for a request that is still to be allowed; `servers` are those that the client can have. */
export async function explainTarget(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizationServers'> },
  { accountId }: Pick<ClientRecord, 'accountId'>,
  servers: readonly LinkedServer[],
  resource: string,
): Promise<Failure> {
  const own = servers.map(({ server }) => server.resourceIdentifier);
  const open = await store.authorizationServers.listOpenIdentifiers(accountId, mostCompared);
  return targetFault([...new Set([...own, ...open])], resource);
}
