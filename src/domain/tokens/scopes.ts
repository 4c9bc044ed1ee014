import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';

/** Scopes about the user, which the account itself offers. All others are of an API authorization server. */
export const knownScopes = ['openid', 'profile', 'email', 'groups'] as const;

const aboutUser: ReadonlySet<string> = new Set(knownScopes);

export function isAboutUser(scope: string): boolean {
  return aboutUser.has(scope);
}

/** Scopes of a space-separated list (RFC 6749 §3.3), without repetitions. */
export function splitScope(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter(Boolean))];
}

/**
 * What of the scope asked for this client can get: scopes that are not known or not the client's are left out (RFC 6749
 * §3.3). Unsaid: all that the client registered, else `openid`, and the scopes that its link to the first of `servers` has.
 */
export function grantableScope(
  client: Pick<ClientRecord, 'scope'>,
  asked: string | undefined,
  servers: readonly LinkedServer[] = [],
): readonly string[] {
  if (asked === undefined) return [...(client.scope ?? ['openid']), ...scopesOf(servers.slice(0, 1))];
  const wanted = splitScope(asked);
  return allowedScope(client, servers).filter((scope) => wanted.includes(scope));
}

/** Every scope that this client may ask for. */
export function allowedScope(
  client: Pick<ClientRecord, 'scope'>,
  servers: readonly LinkedServer[] = [],
): readonly string[] {
  return [...(client.scope ?? knownScopes), ...scopesOf(servers)];
}

/** What of a scope an access token for `server` can have: the part about the user, and what the link allows. Null: no server. */
export function accessibleScope(granted: readonly string[], server: LinkedServer | null): readonly string[] {
  const isAccessible = (scope: string) =>
    isAboutUser(scope) || (server?.scopes.some(({ value }) => value === scope) ?? false);
  return granted.every(isAccessible) ? granted : granted.filter(isAccessible);
}

/** A scope of one server, as consents and grants keep it: another server may have one of the same name. */
export function apiScopeName(value: string, serverId: number): string {
  return `${value} ${serverId}`;
}

/** What a scope means at the servers of a client, or at the one that it was asked for alone. */
export function apiScopeNames(
  scope: readonly string[],
  serverId: number | null,
  servers: readonly LinkedServer[],
): readonly string[] {
  const meant = servers.filter(({ server }) => serverId === null || server.id === serverId);
  return meant.flatMap(({ server, scopes }) =>
    scopes.filter(({ value }) => scope.includes(value)).map(({ value }) => apiScopeName(value, server.id)),
  );
}

/** The scopes of servers, without repetitions. */
export function scopesOf(servers: readonly LinkedServer[]): readonly string[] {
  return [...new Set(servers.flatMap(({ scopes }) => scopes.map(({ value }) => value)))];
}
