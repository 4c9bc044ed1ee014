import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { GrantRecord } from '../../store/grants.ts';
import { type TokenUser, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isConfidential } from '../clients/client-methods.ts';
import { signingAlgorithmFor } from '../clients/security-profile.ts';
import { digestOf } from '../secrets.ts';
import { findAccessToken, isActive } from './access-token.ts';
import type { Binding } from './binding.ts';
import { preferredName } from './claims.ts';
import type { Actor } from './jwt-access-token.ts';
import { subjectOf } from './subject.ts';
import { parseRefreshToken } from './token-text.ts';

/** The description of an active token (RFC 7662 §2.2). Times are seconds since the epoch. */
export interface ActiveToken {
  readonly tokenType: 'access_token' | 'refresh_token';
  readonly clientId: string;
  readonly subject: string;
  readonly username: string | null;
  readonly scope: readonly string[];
  /** The audience of a JWT; the client of an opaque token. */
  readonly audience: string | readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** What it is bound to; null for a bearer token. */
  readonly binding: Binding | null;
  /** The actor that uses it on behalf of its subject (RFC 8693 §4.1). */
  readonly actor: Actor | null;
}

/**
 * Looks a token up for a client; null when it is not active or the client may not see it. A client with a secret may
 * ask about every access token of the account, as a gateway does. A client without a secret, or one that registered in
 * the open, may only ask about its own. A refresh token is visible to its own client only.
 */
export async function introspectToken(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'signer' | 'counts'>,
  account: Account,
  client: ClientRecord,
  text: string,
): Promise<ActiveToken | null> {
  services.counts.add(account.id, 'introspection', client.appId);
  const found = await findAccessToken(services, account, text);
  if (!found) return introspectRefreshToken(services, account, client, text);
  const visible = found.token.appId === client.appId || seesTokensOfOthers(client);
  if (!isActive(found, services.clock.now()) || !visible) return null;
  return {
    tokenType: 'access_token',
    clientId: found.client.clientId,
    subject: found.user ? subjectOf(services, account, found.client, found.user) : found.client.clientId,
    username: found.user && usernameOf(client, found.client, found.user, found.scope),
    scope: found.scope,
    audience: found.audience,
    issuedAt: seconds(found.token.issuedAt),
    expiresAt: seconds(found.token.expiresAt),
    binding: found.binding,
    actor: found.actor,
  };
}

/**
 * The answer as a JWT that the asking client can show to others (RFC 9701 §5). Its type and the nested claims keep it
 * from being taken for an access token.
 */
export function signIntrospection(
  { signer, clock }: Pick<Services, 'signer' | 'clock'>,
  account: Account,
  client: ClientRecord,
  answer: object,
): Promise<string> {
  const alg = signingAlgorithmFor(account, client, client.extra.introspection_signed_response_alg ?? 'RS256');
  return signer.sign(account, alg, 'token-introspection+jwt', {
    iss: account.baseUrl,
    aud: client.clientId,
    iat: seconds(clock.now()),
    token_introspection: answer,
  });
}

/** Anyone can register in the open, so such a client is not trusted as a gateway, secret or not. */
function seesTokensOfOthers(client: ClientRecord): boolean {
  return client.registeredBy === 'token' && isConfidential(client);
}

/**
 * The name is withheld where it would let clients of two sectors find users that they have in common. The e-mail
 * address of a user without a user name is only shown to a client that sees its own tokens alone if the token has the
 * scope `email`, as in userinfo. `owner`: the client of the token.
 */
function usernameOf(
  asking: ClientRecord,
  owner: Pick<ClientRecord, 'sector'>,
  user: TokenUser,
  scope: readonly string[],
): string | null {
  if (owner.sector !== null) return null;
  return seesTokensOfOthers(asking) ? (user.username ?? user.email) : preferredName(user, scope);
}

async function introspectRefreshToken(
  { store, clock, vault }: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  client: ClientRecord,
  text: string,
): Promise<ActiveToken | null> {
  const grant = await findGrantOfRefreshToken({ store, vault }, account, client, text);
  if (!grant || grant.currentDigest !== digestOf(text)) return null;
  const expiresAt = Math.min(grant.idleExpiresAt, grant.absoluteExpiresAt);
  const user = await store.users.find(account.id, grant.userId);
  const assigned = await store.access.isAssigned(account.id, client.appId, grant.userId);
  if (grant.revokedAt !== null || expiresAt <= clock.now() || user?.status !== userStatuses.active || !assigned)
    return null;
  return {
    tokenType: 'refresh_token',
    clientId: client.clientId,
    subject: subjectOf({ vault }, account, client, user),
    username: usernameOf(client, client, user, grant.scope),
    scope: grant.scope,
    audience: client.clientId,
    issuedAt: seconds(grant.rotatedAt ?? grant.createdAt),
    expiresAt: seconds(expiresAt),
    binding: parseRefreshToken(vault, account, text)?.binding ?? null,
    actor: null,
  };
}

/** The grant of a refresh token of this client, current or older. */
export async function findGrantOfRefreshToken(
  { store, vault }: Pick<Services, 'store' | 'vault'>,
  account: Account,
  client: ClientRecord,
  text: string,
): Promise<GrantRecord | null> {
  const read = parseRefreshToken(vault, account, text);
  const grant = read && (await store.grants.find(account.id, read.grantId));
  return grant?.appId === client.appId ? grant : null;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
