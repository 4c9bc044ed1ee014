/** Which API authorization server a linked client's access token is for (RFC 8707). */

import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { GrantForApis } from '../../store/grants.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { Failure } from '../failure.ts';
import { apiScopeName } from './scopes.ts';

/** Returns nothing, without a lookup, for a client that is not linked to any: `client.linkedServers` says so. */
export async function linkedServersOf(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizationServers'> },
  client: Pick<ClientRecord, 'accountId' | 'appId' | 'linkedServers'>,
): Promise<readonly LinkedServer[]> {
  return client.linkedServers === 0 ? [] : store.authorizationServers.ofClient(client.accountId, client.appId);
}

/** The audience that a request asks for. */
export interface AskedAudience {
  /** The parameter `resource`; null when it was not sent. */
  readonly resource: string | null;
  /** The requested scopes; null when none were named. */
  readonly scope: readonly string[] | null;
}

/**
 * The server that `resource` names; without it the first server with one of the scopes, else the first server. Null for
 * a client that is not linked to any. Throws `target_invalid` (RFC 8707 §2) for a resource that is not one of the
 * client's.
 */
export function chooseServer(
  servers: readonly LinkedServer[],
  { resource, scope }: AskedAudience,
): LinkedServer | null {
  if (resource !== null) {
    const named = servers.find(({ server }) => server.resourceIdentifier === resource);
    if (!named) throw invalidTarget();
    return named;
  }
  return servers.find(({ scopes }) => scopes.some(({ value }) => scope?.includes(value))) ?? servers[0] ?? null;
}

/**
 * The same for a grant. If the grant is for one server, `resource` can only name that one (RFC 8707 §2.2). Throws
 * `grant_invalid` when the client is no longer linked to that server.
 */
export function chooseServerOfGrant(
  servers: readonly LinkedServer[],
  serverId: number | null,
  asked: AskedAudience,
): LinkedServer | null {
  if (serverId === null) return chooseServer(servers, asked);
  const own = servers.filter(({ server }) => server.id === serverId);
  if (own.length === 0) throw noLongerLinked();
  return chooseServer(own, asked);
}

/**
 * The servers of a grant, with the scopes that it gives there. A grant without a resource is for the servers that had
 * its scopes when it was made. A server that is linked later, or gets a scope of the same name later, is not what the
 * user allowed.
 */
export function serversOfGrant(
  servers: readonly LinkedServer[],
  { serverId, apiScopes, createdAt }: Pick<GrantForApis, 'serverId' | 'apiScopes' | 'createdAt'>,
): readonly LinkedServer[] {
  if (serverId !== null) return servers;
  return servers.map((linked) => ({
    ...linked,
    scopes: linked.scopes.filter(({ value }) =>
      // A grant of an older release is for the servers that were linked when it was made.
      apiScopes === null ? linked.linkedAt <= createdAt : apiScopes.includes(apiScopeName(value, linked.server.id)),
    ),
  }));
}

/** The audience of a server's tokens (RFC 9068 §2.2): the resource, and the other configured audiences. */
export function audienceOf({ server }: LinkedServer): string | readonly string[] {
  const all = [...new Set([server.resourceIdentifier, ...server.audiences])];
  return all.length === 1 ? server.resourceIdentifier : all;
}

/** For a grant for one server. */
export function noLongerLinked(): Failure {
  return new Failure('grant_invalid', { reason: 'the client is not linked to the API authorization server any more' });
}

function invalidTarget(): Failure {
  return new Failure('target_invalid', {
    name: 'resource',
    message: 'resource must name an API authorization server that this client can get access tokens for',
  });
}
