import type { Services } from '../../../services.ts';
import type { ClaimsRequest } from '../../../store/authorization-parameters.ts';
import type { LinkedServer } from '../../../store/authorization-servers.ts';
import type { ClientRecord } from '../../../store/clients.ts';
import type { GrantRecord } from '../../../store/grants.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { TokenUser } from '../../../store/users.ts';
import type { Account } from '../../accounts/account.ts';
import { recordEvent } from '../../audit/record.ts';
import { isConfidential } from '../../clients/client-methods.ts';
import { hasGrantType } from '../../clients/grant-types.ts';
import { digestOf } from '../../secrets.ts';
import { isByConsent, noLongerHad } from '../../tokens/audience.ts';
import type { Binding } from '../../tokens/binding.ts';
import { absoluteExpiry, idleExpiry } from '../../tokens/refresh.ts';
import { accessibleScope, apiScopeNames } from '../../tokens/scopes.ts';
import { lacksApiScope } from '../../tokens/target.ts';
import { contentsOf, makeIdToken, prepareAccessToken, type TokenSet, tokenTypeOf } from '../../tokens/token-set.ts';
import { newRefreshToken } from '../../tokens/token-text.ts';

/** What a user granted to a client: by a code, implicitly, by a password, or for a device. */
export interface GrantTerms {
  readonly userId: number;
  /** The only API authorization server that it is for; null: all that the client is linked to. */
  readonly serverId: number | null;
  /** Those that the client is linked to. */
  readonly servers: () => Promise<readonly LinkedServer[]>;
  readonly scope: readonly string[];
  readonly sid: string | null;
  readonly nonce: string | null;
  readonly amr: readonly string[];
  readonly authenticatedAt: number;
  /** Claims that were requested one by one. */
  readonly claims?: ClaimsRequest | undefined;
  /** Whether it outlives its session, if it has one. */
  readonly offlineAccess?: boolean | undefined;
}

/**
 * The grants of a user that there are, those that ended lately included: few enough for one short statement to end them
 * all, when a thief or a program has made as many as it could. `atOnce` matters for users who had more before there was
 * a bound.
 */
const mostGrants = { ofApp: 200, ofUser: 2000, atOnce: 100 };

export type GrantMethod = 'authorization_code' | 'implicit' | 'password' | 'device_code';

type GrantServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer'>;

export interface StartedGrant {
  readonly grant: GrantRecord;
  /** Null when the client does not have the grant type `refresh_token`. */
  readonly refreshToken: string | null;
  /**
   * The text of the first access token, which may have to be signed. Like everything below, call it outside the
   * transaction.
   */
  accessToken(user: TokenUser): Promise<string>;
  /** All its first tokens. */
  tokens(user: TokenUser): Promise<TokenSet>;
}

/**
 * Stores a new grant with its first tokens, inside the transaction that uses up what it is granted for. `linked`: the
 * server that the first access token is for; `binding`: what its tokens are bound to.
 */
export async function startGrant(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  terms: GrantTerms,
  linked: LinkedServer | null,
  method: GrantMethod,
  binding: Binding | null = null,
): Promise<StartedGrant> {
  const grant = await createGrant(services, tx, account, client, terms, linked, method);
  let refreshToken: string | null = null;
  if (hasGrantType(client, 'refresh_token')) {
    // RFC 9449 §5, RFC 8705 §4: the refresh token of a client that authenticates is bound to the client already.
    const bound = isConfidential(client) ? null : binding;
    refreshToken = newRefreshToken(services.vault, services.random, account, grant.id, bound);
    await tx.grants.setFirstToken(account.id, grant.id, digestOf(refreshToken));
  }
  const { text, ...first } = await addFirstAccessToken(services, tx, account, client, grant, linked, binding);
  return {
    grant,
    refreshToken,
    accessToken: text,
    tokens: async (user) => {
      const accessToken = await text(user);
      const idToken = await makeIdToken(
        services,
        account,
        client,
        grant,
        user,
        accessToken,
        grant.nonce,
        terms.claims?.idToken,
      );
      return { accessToken, ...first, idToken, refreshToken };
    },
  };
}

/** Stores a new grant without any token, and ends those of the user's that would be too many with it. */
export async function createGrant(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  { claims, offlineAccess = false, servers, ...terms }: GrantTerms,
  linked: LinkedServer | null,
  method: GrantMethod,
): Promise<GrantRecord> {
  const now = services.clock.now();
  const { scope, serverId } = terms;
  const among = serverId === null ? await servers() : [];
  const { holdLink, holdOpen } = tx.authorizationServers;
  // What was chosen may have ended since: a link does not become a consent, which would be to other scopes.
  const hold = isByConsent(linked) ? holdOpen : holdLink;
  const isLost =
    serverId !== null && (lacksApiScope(linked, scope) || !(await hold(account.id, serverId, client.appId)));
  if (isLost) throw noLongerHad();
  const holder = { userId: terms.userId, appId: client.appId };
  // Before the trail is written: a refresh locks its grant first, too.
  const ended = await tx.grants.makeRoom(account.id, holder, mostGrants);
  const grant = await tx.grants.create({
    ...terms,
    apiScopes: apiScopeNames(scope, serverId, among),
    accountId: account.id,
    appId: client.appId,
    currentDigest: null,
    previousDigest: null,
    successorSalt: null,
    rotatedAt: null,
    generation: 0,
    idleExpiresAt: idleExpiry(account, client, now, linked),
    absoluteExpiresAt: absoluteExpiry(account, now),
    revokedAt: null,
    revokedBecause: null,
    createdAt: now,
    offlineAccess,
  });
  if (claims && Object.keys(claims.userinfo).length > 0) {
    await tx.grants.saveClaims(account.id, grant.id, claims.userinfo);
  }
  await recordEvent(tx, services, account, {
    action: 'grant.issued',
    actor: { type: 'client', id: client.appId },
    target: { type: 'grant', id: grant.id },
    detail: { method, user_id: terms.userId, app_id: client.appId, scope, ...(ended > 0 && { grants_revoked: ended }) },
  });
  return grant;
}

/** Stores the first access token of a grant. Its text, which may have to be signed, is made outside the transaction. */
export async function addFirstAccessToken(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  grant: GrantRecord,
  linked: LinkedServer | null,
  binding: Binding | null,
) {
  const scope = accessibleScope(grant.scope, linked);
  const { row, expiresInSeconds, text } = prepareAccessToken(services, account, client, linked, binding);
  const { id } = await tx.grants.addAccessToken({
    ...row,
    accountId: account.id,
    grantId: grant.id,
    appId: client.appId,
    userId: grant.userId,
    scope,
    revokedAt: null,
  });
  return {
    scope,
    expiresInSeconds,
    tokenType: tokenTypeOf(binding),
    text: async (user: TokenUser) => text(id, contentsOf(grant, user, scope)),
  };
}
