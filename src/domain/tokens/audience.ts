/** For which API authorization server a linked client's access token is (RFC 8707). */

import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { GrantForApis } from '../../store/grants.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { Failure } from '../failure.ts';
import { apiScopeName } from './scopes.ts';

/** Nothing, and no lookup, for a client that is linked to none: `client.linkedServers` says so. */
export async function linkedServersOf(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizationServers'> },
  client: Pick<ClientRecord, 'accountId' | 'appId' | 'linkedServers'>,
): Promise<readonly LinkedServer[]> {
  return client.linkedServers === 0 ? [] : store.authorizationServers.ofClient(client.accountId, client.appId);
}

/** What a request says about the audience of its access token. */
export interface AskedAudience {
  /** The parameter `resource`; null when it was not sent. */
  readonly resource: string | null;
  /** The scopes that the token is wanted for; null when none were named. */
  readonly scope: readonly string[] | null;
}

/**
 * The server that `resource` names; without it the first that knows one of the scopes, else the first. Null for a client
 * that is linked to none. Throws `target_invalid` (RFC 8707 §2) for a resource of another server, or of none.
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
 * The same for a grant, which may be for one server alone: then `resource` can only be its (RFC 8707 §2.2). Throws
 * `grant_invalid` when the client is linked to that server no longer.
 */
export function chooseServerOfGrant(
  servers: readonly LinkedServer[],
  serverId: number | null,
  asked: AskedAudience,
): LinkedServer | null {
  if (serverId === null) return chooseServer(servers, asked);
  const own = servers.filter(({ server }) => server.id === serverId);
  if (own.length === 0) {
    throw new Failure('grant_invalid', { reason: 'the client is not linked to the API authorization server any more' });
  }
  return chooseServer(own, asked);
}

/**
 * The servers with what a grant gives there. One without a resource is for the servers that had its scopes when it was
 * made: another that is linked later, or gets a scope of the same name, is not what the user allowed.
 */
export function serversOfGrant(
  servers: readonly LinkedServer[],
  { serverId, apiScopes, createdAt }: Pick<GrantForApis, 'serverId' | 'apiScopes' | 'createdAt'>,
): readonly LinkedServer[] {
  if (serverId !== null) return servers;
  return servers.map((linked) => ({
    ...linked,
    scopes: linked.scopes.filter(({ value }) =>
      // What an older release made is for the servers that were linked by then.
      apiScopes === null ? linked.linkedAt <= createdAt : apiScopes.includes(apiScopeName(value, linked.server.id)),
    ),
  }));
}

/** Whom a server's tokens are meant for (RFC 9068 §2.2): the resource, and what else was configured. */
export function audienceOf({ server }: LinkedServer): string | readonly string[] {
  const all = [...new Set([server.resourceIdentifier, ...server.audiences])];
  return all.length === 1 ? server.resourceIdentifier : all;
}

function invalidTarget(): Failure {
  return new Failure('target_invalid', {
    name: 'resource',
    message: 'resource must name an API authorization server that this client can get access tokens for',
  });
}
