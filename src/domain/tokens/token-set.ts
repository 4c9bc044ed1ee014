import { hash } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { AskedClaims } from '../../store/authorization-parameters.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { NewAccessToken } from '../../store/consumption.ts';
import type { GrantRecord } from '../../store/grants.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { signingAlgorithmFor } from '../clients/security-profile.ts';
import { acrOf } from '../login/methods.ts';
import { digestOf } from '../secrets.ts';
import type { Binding } from './binding.ts';
import { isUserinfoScope, userClaims } from './claims.ts';
import { signJwtAccessToken, type TokenContents } from './jwt-access-token.ts';
import { sessionNameOf } from './subject.ts';
import { accessTokenSecret, accessTokenText, newAccessSecret, tokenIdSecret } from './token-text.ts';

export const accessTokenSeconds = 3600;
const idTokenSeconds = 3600;
/** RFC 8693 §3. */
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** The result of the token endpoint, before a surface formats it (RFC 6749 §5.1). */
export interface TokenSet {
  readonly accessToken: string;
  /** `DPoP` if it is bound to a key (RFC 9449 §5). */
  readonly tokenType: 'Bearer' | 'DPoP';
  readonly expiresInSeconds: number;
  readonly scope: readonly string[];
  /** With the scope `openid`. */
  readonly idToken: string | null;
  /** If the client has the grant type `refresh_token`. */
  readonly refreshToken: string | null;
  /** For a token exchange (RFC 8693 §2.2.1). */
  readonly issuedTokenType?: typeof accessTokenType;
}

/** An access token whose row is not stored yet. */
interface PreparedAccessToken {
  readonly row: NewAccessToken;
  readonly expiresInSeconds: number;
  /** The token's text, once its row is stored under `id`. A JWT is signed only then, outside any transaction. */
  text(id: number, contents: TokenContents): string | Promise<string>;
}

/**
 * Prepares the access token of a grant or of a client. For an API authorization server it is a JWT with the server's
 * lifetime; without one (null) it is opaque and lives as long as the app says, else `accessTokenSeconds`. `binding`:
 * what it is bound to; null: a bearer token. The kind of an access token is decided only here.
 */
export function prepareAccessToken(
  services: Pick<Services, 'clock' | 'random' | 'signer' | 'store' | 'vault'>,
  account: Account,
  client: ClientRecord,
  linked: LinkedServer | null,
  binding: Binding | null,
  endsAtLatest: Milliseconds = Number.POSITIVE_INFINITY,
): PreparedAccessToken {
  const secret = newAccessSecret(services.random);
  const issuedAt = services.clock.now();
  const minutes = linked ? linked.server.accessTokenMinutes : client.accessTokenMinutes;
  const secondsLeft = Math.floor((endsAtLatest - issuedAt) / 1000);
  const expiresInSeconds = Math.min(minutes === null ? accessTokenSeconds : minutes * 60, secondsLeft);
  const expiresAt = issuedAt + expiresInSeconds * 1000;
  if (!linked) {
    return {
      row: { digest: digestOf(accessTokenSecret(secret, binding)), issuedAt, expiresAt },
      expiresInSeconds,
      text: (id) => accessTokenText(id, secret, binding),
    };
  }
  const row = { digest: digestOf(tokenIdSecret(secret)), issuedAt, expiresAt };
  return {
    row,
    expiresInSeconds,
    text: (id, contents) =>
      signJwtAccessToken(services, account, client, linked, { ...row, id, secret, binding }, contents),
  };
}

/** RFC 9449 §5; a token that is bound to a certificate is sent as any bearer token (RFC 8705 §3). */
export function tokenTypeOf(binding: Binding | null): TokenSet['tokenType'] {
  return binding?.to === 'key' ? 'DPoP' : 'Bearer';
}

/** The contents of the access token of a user's grant. */
export function contentsOf(
  { amr, authenticatedAt }: Pick<GrantRecord, 'amr' | 'authenticatedAt'>,
  record: TokenUser,
  scope: readonly string[],
): TokenContents {
  return { scope, user: { record, amr, acr: acrOf(amr), authenticatedAt } };
}

/**
 * The id token of a grant (OpenID Connect Core §2, §3.1.3.6); null without the scope `openid`. At a refresh it keeps
 * `iss`, `sub`, `aud`, `auth_time` and has no `nonce` (§12.2) and no claims beyond the scope: `asked` is for the first
 * one only. `accessToken`: the access token issued with it, or null (§3.2.2.10). With one, an account may leave to
 * userinfo what the scopes say about the person (`id_token_claims`).
 */
export async function makeIdToken(
  services: Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>,
  account: Account,
  client: ClientRecord,
  grant: GrantRecord,
  user: TokenUser,
  accessToken: string | null,
  nonce: string | null,
  asked?: AskedClaims,
): Promise<string | null> {
  const { scope } = grant;
  if (!scope.includes('openid')) return null;
  const isMinimal = account.settings.idTokenClaims === 'minimal' && accessToken !== null;
  const told = isMinimal ? scope.filter((name) => !isUserinfoScope(name)) : scope;
  const issuedAt = Math.floor(services.clock.now() / 1000);
  const alg = signingAlgorithmFor(account, client, client.idTokenAlg);
  return services.signer.sign(account, alg, 'JWT', {
    iss: account.baseUrl,
    aud: client.clientId,
    ...(await userClaims(services, account, client, user, { scope, told, asked })),
    iat: issuedAt,
    exp: issuedAt + idTokenSeconds,
    auth_time: Math.floor(grant.authenticatedAt / 1000),
    ...(nonce !== null && { nonce }),
    ...(accessToken !== null && { at_hash: halfHash(accessToken) }),
    amr: grant.amr,
    acr: acrOf(grant.amr),
    ...(grant.sid !== null && { sid: sessionNameOf(services, account, client, { sid: grant.sid }) }),
  });
}

/** The left half of the SHA-256 hash, for all our algorithms alike (OpenID Connect Core §3.1.3.6). */
function halfHash(text: string): string {
  return Buffer.from(hash('sha256', text, 'hex').slice(0, 32), 'hex').toString('base64url');
}
