import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { type ClaimsMapping, mappableClaims } from '../accounts/claims-mapping.ts';

type Mapped = Pick<Account, 'settings'>;

/** Scopes about the user, which a client may register. All others belong to an API authorization server. */
export const knownScopes = ['openid', 'profile', 'email', 'address', 'phone', 'groups'] as const;

const aboutUser: ReadonlySet<string> = new Set(knownScopes);

export function isAboutUser(scope: string): boolean {
  return aboutUser.has(scope);
}

/** Those that an account with this mapping offers: all whose claims it has. */
export function offeredScopes(mapping: ClaimsMapping): readonly (typeof knownScopes)[number][] {
  const mapped = new Set([...mapping.keys()].map((name) => mappableClaims[name].scope));
  return knownScopes.filter((scope) => (scope !== 'address' && scope !== 'phone') || mapped.has(scope));
}

/** The scopes in a space-separated list (RFC 6749 §3.3), without duplicates. */
export function splitScope(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter(Boolean))];
}

/**
 * The part of the requested scope that this client can get: unknown scopes, those that the account does not offer and
 * those not allowed for the client are left out (RFC 6749 §3.3). Default: all scopes that the client registered, else `openid`, and the scopes of its link
 * to the first of `servers`.
 */
export function grantableScope(
  account: Mapped,
  client: Pick<ClientRecord, 'scope'>,
  asked: string | undefined,
  servers: readonly LinkedServer[] = [],
): readonly string[] {
  if (asked === undefined) {
    return [...offered(account, client.scope ?? ['openid']), ...scopesOf(servers.slice(0, 1))];
  }
  const wanted = new Set(splitScope(asked));
  return allowedScope(account, client, servers).filter((scope) => wanted.has(scope));
}

/** Every scope that this client may ask for: of those about the user that it registered, what the account offers. */
export function allowedScope(
  account: Mapped,
  client: Pick<ClientRecord, 'scope'>,
  servers: readonly LinkedServer[] = [],
): readonly string[] {
  return [...offered(account, registeredScope(client)), ...scopesOf(servers)];
}

/** The scopes about the user that the client registered; without any, all of them. */
export function registeredScope({ scope }: Pick<ClientRecord, 'scope'>): readonly string[] {
  return scope ?? knownScopes;
}

function offered({ settings }: Mapped, scope: readonly string[]): readonly string[] {
  const all: readonly string[] = offeredScopes(settings.claimsMapping);
  // Of the others, only the console registers any: those of the management API.
  return scope.filter((one) => !isAboutUser(one) || all.includes(one));
}

/**
 * The part of the scope requested at refresh that this client may ask for: what authorization leaves out without an
 * error is left out here too. If nothing is left, the scope as requested, which exceeds the grant.
 */
export function refreshableScope(
  account: Mapped,
  client: Pick<ClientRecord, 'scope'>,
  asked: readonly string[] | null,
  servers: readonly LinkedServer[] = [],
): readonly string[] | null {
  if (asked === null) return null;
  const allowed = new Set(allowedScope(account, client, servers));
  const left = asked.filter((scope) => allowed.has(scope));
  return left.length === 0 ? asked : left;
}

/**
 * The part of a scope that an access token for `server` can have: scopes about the user, and what the link allows.
 * Null: no server.
 */
export function accessibleScope(granted: readonly string[], server: LinkedServer | null): readonly string[] {
  const isAccessible = (scope: string) =>
    isAboutUser(scope) || (server?.scopes.some(({ value }) => value === scope) ?? false);
  return granted.every(isAccessible) ? granted : granted.filter(isAccessible);
}

/** A server's scope as consents and grants store it: another server may have a scope of the same name. */
export function apiScopeName(value: string, serverId: number): string {
  return `${value} ${serverId}`;
}

/** The scopes of a list at all servers of a client, or at the one that was requested. */
export function apiScopeNames(
  scope: readonly string[],
  serverId: number | null,
  servers: readonly LinkedServer[],
): readonly string[] {
  const meant = servers.filter(({ server }) => serverId === null || server.id === serverId);
  const wanted = new Set(scope);
  return meant.flatMap(({ server, scopes }) =>
    scopes.filter(({ value }) => wanted.has(value)).map(({ value }) => apiScopeName(value, server.id)),
  );
}

/** The scopes of servers, without duplicates. */
export function scopesOf(servers: readonly LinkedServer[]): readonly string[] {
  return [...new Set(servers.flatMap(({ scopes }) => scopes.map(({ value }) => value)))];
}
