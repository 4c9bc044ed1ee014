/** Which API authorization server a client's access token is for (RFC 8707). */

import type { LinkedServer, ServerKey } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { GrantForApis } from '../../store/grants.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { Failure } from '../failure.ts';
import { apiScopeName, splitScope } from './scopes.ts';

/** The contract's bound of `resource`: each value may cost a lookup. */
const mostResources = 10;

/** Returns nothing, without a lookup, for a client that is not linked to any: `client.linkedServers` says so. */
export async function linkedServersOf(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizationServers'> },
  client: Pick<ClientRecord, 'accountId' | 'appId' | 'linkedServers'>,
): Promise<readonly LinkedServer[]> {
  return client.linkedServers === 0 ? [] : store.authorizationServers.ofClient(client.accountId, client.appId);
}

/** The servers that a request, or what was made of one, names: by `resource`, or by the id that is kept. */
export interface NamedServers {
  readonly resource?: string | null | undefined;
  readonly serverId?: number | null | undefined;
}

/**
 * The servers that a client can get tokens for: those that it is linked to, and of those that are named here the ones
 * that any client can have whose user agrees.
 */
export async function serversOf(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizationServers'> },
  client: Pick<ClientRecord, 'accountId' | 'appId' | 'linkedServers'>,
  named: NamedServers,
): Promise<readonly LinkedServer[]> {
  const servers = [...(await linkedServersOf({ store }, client))];
  for (const key of keysOf(named)) {
    if (servers.some((one) => isNamed(one, key))) continue;
    const open = await store.authorizationServers.findOpen(client.accountId, key);
    if (open) servers.push(open);
  }
  return servers;
}

function keysOf({ resource, serverId }: NamedServers): readonly ServerKey[] {
  const resources = resourcesIn(resource);
  const named = areTooMany(resources) ? [] : resources.map((resourceIdentifier) => ({ resourceIdentifier }));
  return serverId == null ? named : [{ id: serverId }, ...named];
}

function isNamed({ server }: LinkedServer, key: ServerKey): boolean {
  return 'id' in key ? server.id === key.id : server.resourceIdentifier === key.resourceIdentifier;
}

/** The values of the parameter `resource`, which may be given several times; they have spaces between them. */
export function resourcesIn(resource: string | null | undefined): readonly string[] {
  return splitScope(resource ?? '');
}

export function areTooMany(resources: readonly string[]): boolean {
  return resources.length > mostResources;
}

/** The one of the servers that `resource` names; null when it names none of them, or several. */
export function serverNamed(servers: readonly LinkedServer[], resource: string): LinkedServer | null {
  const resources = resourcesIn(resource);
  if (areTooMany(resources)) return null;
  const [only, ...more] = servers.filter(({ server }) => resources.includes(server.resourceIdentifier));
  return only && more.length === 0 ? only : null;
}

/** Whether the client has the server only because its user agreed to it. */
export function isByConsent(linked: LinkedServer | null | undefined): boolean {
  return linked?.linkedAt === null;
}

/** The audience that a request asks for. */
export interface AskedAudience {
  /** The parameter `resource`, several with spaces between them; null when it was not sent. */
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
    const named = serverNamed(servers, resource);
    if (!named) throw targetFault(servers.map(identifierOf), resource);
    return named;
  }
  const wanted = new Set(scope);
  return servers.find(({ scopes }) => scopes.some(({ value }) => wanted.has(value))) ?? servers[0] ?? null;
}

/**
 * The same for a grant. If the grant is for one server, `resource` can only name that one (RFC 8707 §2.2), else only
 * linked ones: nobody allowed the others. Throws `grant_invalid` when the client does not have that server any more.
 */
export function chooseServerOfGrant(
  servers: readonly LinkedServer[],
  serverId: number | null,
  asked: AskedAudience,
): LinkedServer | null {
  const own = servers.filter((one) => (serverId === null ? !isByConsent(one) : one.server.id === serverId));
  if (serverId !== null && own.length === 0) throw noLongerHad();
  const { resource } = asked;
  // Two that the client can have are too many, also where one of them is not the grant's.
  if (resource !== null && serverNamed(servers, resource) === null)
    throw targetFault(servers.map(identifierOf), resource);
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
  const allowed = new Set(apiScopes);
  return servers.map((linked) => ({
    ...linked,
    scopes: linked.scopes.filter(({ value }) =>
      // A grant of an older release is for the servers that were linked when it was made.
      apiScopes === null
        ? (linked.linkedAt ?? Number.POSITIVE_INFINITY) <= createdAt
        : allowed.has(apiScopeName(value, linked.server.id)),
    ),
  }));
}

/** The audience of a server's tokens (RFC 9068 §2.2): the resource, and the other configured audiences. */
export function audienceOf({ server }: LinkedServer): string | readonly string[] {
  const all = [...new Set([server.resourceIdentifier, ...server.audiences])];
  return all.length === 1 ? server.resourceIdentifier : all;
}

/** For a grant for one server. */
export function noLongerHad(): Failure {
  return new Failure('grant_invalid', { reason: 'the client cannot have this API authorization server any more' });
}

/**
 * `target_invalid` for a resource that is not, or not alone, one of these `known` identifiers of APIs that the client can
 * get tokens for; the message says both values where they differ by little.
 */
export function targetFault(known: readonly string[], resource: string): Failure {
  return new Failure('target_invalid', { name: 'resource', message: targetMessage(known, resourcesIn(resource)) });
}

function targetMessage(known: readonly string[], asked: readonly string[]): string {
  // First: anybody may send hundreds, and a client may have hundreds of APIs.
  if (areTooMany(asked)) return `resource must name at most ${mostResources} APIs`;
  if (known.filter((one) => asked.includes(one)).length > 1) {
    return 'resource must name one API that this client can get access tokens for, not several';
  }
  const near = findNear(known, asked);
  return near
    ? `resource must be ${near.other}, letter by letter, and is ${near.one}`
    : 'resource must name an API authorization server that this client can get access tokens for';
}

/** The first asked one that differs by little from a known one. */
function findNear(
  known: readonly string[],
  asked: readonly string[],
): { readonly one: string; readonly other: string } | null {
  const alike = Map.groupBy(known, coarse);
  for (const one of asked) {
    const other = alike.get(coarse(one))?.find((each) => each !== one);
    if (other !== undefined) return { one, other };
  }
  return null;
}

/** Without what people forget: a slash at the end, the port, upper and lower case. */
function coarse(identifier: string): string {
  return identifier
    .toLowerCase()
    .replace(/^([a-z][a-z0-9+.-]*:\/\/(?:\[[^\]]*\]|[^/:]*)):\d*/, '$1')
    .replace(/\/$/, '');
}

function identifierOf({ server }: LinkedServer): string {
  return server.resourceIdentifier;
}
