import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { AccessTokenStanding } from '../../store/grants.ts';
import type { Milliseconds } from '../../store/time.ts';
import { userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isWelcome } from '../clients/document-url.ts';
import { matchesDigest } from '../secrets.ts';
import { audienceOf, isByConsent, serversOf } from './audience.ts';
import type { Binding } from './binding.ts';
import { type Actor, looksLikeJwt, readJwtAccessToken } from './jwt-access-token.ts';
import { accessibleScope } from './scopes.ts';
import { accessTokenSecret, parseAccessToken, tokenIdSecret } from './token-text.ts';

/** A stored access token and what it is valid for. */
export interface FoundAccessToken extends AccessTokenStanding {
  readonly scope: readonly string[];
  /** The audience of a JWT; the client of an opaque token. */
  readonly audience: string | readonly string[];
  /** What it is bound to; null for a bearer token. */
  readonly binding: Binding | null;
  /** The actor that uses it on behalf of its subject (RFC 8693 §4.1), or null. */
  readonly actor: Actor | null;
  /** The API authorization server of a JWT, as its client is linked to it; null for an opaque token. */
  readonly linked: LinkedServer | null;
}

/** The members that opaque tokens do not have. */
const opaque = { actor: null, linked: null };

/**
 * The stored access token with this text, whatever its state, or null. A JWT is found if its signature is valid and its
 * client is linked to the API authorization server that it is for.
 */
export async function findAccessToken(
  services: Pick<Services, 'store' | 'clock' | 'signer'>,
  account: Account,
  text: string,
): Promise<FoundAccessToken | null> {
  if (looksLikeJwt(text)) return findJwtAccessToken(services, account, text);
  const parsed = parseAccessToken(text);
  const found = parsed && (await services.store.grants.findAccessToken(account.id, parsed.id));
  if (!parsed || !found || !isWelcome(account, found.client.clientId)) return null;
  const { secret, binding } = parsed;
  if (!matchesDigest(accessTokenSecret(secret, binding), found.token.digest)) return null;
  // A grant keeps the API scopes that its client was linked to, but an opaque token gives none of them.
  return {
    ...found,
    scope: accessibleScope(found.token.scope, null),
    audience: found.client.clientId,
    ...opaque,
    binding,
  };
}

async function findJwtAccessToken(
  services: Pick<Services, 'store' | 'clock' | 'signer'>,
  account: Account,
  text: string,
): Promise<FoundAccessToken | null> {
  const read = await readJwtAccessToken(services, account, text);
  const found = read && (await services.store.grants.findAccessToken(account.id, read.id));
  if (!found || !matchesDigest(tokenIdSecret(read.secret), found.token.digest)) return null;
  if (!isWelcome(account, found.client.clientId)) return null;
  const { audience, binding, actor } = read;
  const servers = await serversOf(services, found.client, { serverId: serverAllowed(found) });
  const linked = servers.find((server) => isFor(server, audience));
  if (!linked || lostScope(linked, found.token.scope)) return null;
  const [only, ...more] = audience;
  const whole = only && more.length === 0 ? only : audience;
  return { ...found, scope: found.token.scope, audience: whole, binding, actor, linked };
}

/** The server that the user let the token's client have; what another client exchanged rests on its link alone. */
function serverAllowed({ token, grant }: AccessTokenStanding): number | null {
  return grant?.appId === token.appId ? grant.serverId : null;
}

/** A client that has the server by consent alone loses its tokens with the scopes that are not open any more. */
function lostScope(linked: LinkedServer, scope: readonly string[]): boolean {
  return isByConsent(linked) && accessibleScope(scope, linked).length < scope.length;
}

/** Whether this is an audience of a server's tokens: the whole one, or a part that an exchange kept. */
function isFor(linked: LinkedServer, audience: readonly string[]): boolean {
  if (audience.includes(linked.server.resourceIdentifier)) return true;
  const all = [audienceOf(linked)].flat();
  return audience.length > 0 && audience.every((one) => all.includes(one));
}

/**
 * Whether a token is usable now: not expired or revoked, the grant alive, the user active and still assigned, and no
 * sign-out everywhere since.
 */
export function isActive({ token, grant, user, assigned }: AccessTokenStanding, now: Milliseconds): boolean {
  if (token.revokedAt !== null || token.expiresAt <= now) return false;
  if (token.userId === null) return true;
  if (token.issuedAt < (user?.signedOutAt ?? 0)) return false;
  return grant?.revokedAt === null && user?.status === userStatuses.active && assigned;
}
