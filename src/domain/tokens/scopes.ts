import type { ClientRecord } from '../../store/records.ts';

/** Scopes that a user can grant a client. */
export const knownScopes = ['openid', 'profile', 'email', 'groups'] as const;

/** Scopes of a space-separated list (RFC 6749 §3.3), without repetitions. */
export function splitScope(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter(Boolean))];
}

/** What of the scope asked for this client can get: scopes that are not known or not the client's are left out (RFC 6749 §3.3). Unsaid: all that the client registered, else `openid`. */
export function grantableScope(client: Pick<ClientRecord, 'scope'>, asked: string | undefined): readonly string[] {
  if (asked === undefined) return client.scope ?? ['openid'];
  const wanted = splitScope(asked);
  return allowedScope(client).filter((scope) => wanted.includes(scope));
}

/** Every scope that this client may ask for. */
export function allowedScope(client: Pick<ClientRecord, 'scope'>): readonly string[] {
  return client.scope ?? knownScopes;
}
