import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { findAccessToken, isActive } from './access-token.ts';
import { userClaims } from './claims.ts';

/**
 * Claims about the user behind an access token (OpenID Connect Core §5.3): as a signed JWT where the client registered
 * an algorithm for it. Throws `access_token_invalid`, or `scope_insufficient` without `openid`.
 */
export async function readUserinfo(
  services: Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>,
  account: Account,
  accessToken: string | null,
): Promise<Record<string, unknown> | string> {
  const found = accessToken === null ? null : await findAccessToken(services, account, accessToken);
  if (!found || !isActive(found, services.clock.now())) {
    throw new Failure('access_token_invalid', { challenged: accessToken !== null });
  }
  if (!found.user || !found.scope.includes('openid')) {
    throw new Failure('scope_insufficient', { scopes: ['openid'] });
  }
  const { store, signer } = services;
  const [asked, client] = await Promise.all([
    found.grant && store.grants.findClaims(account.id, found.grant.id),
    store.clients.find(account.id, found.client.clientId),
  ]);
  const claims = await userClaims(services, account, found.client, found.user, found.scope, asked ?? undefined);
  const alg = client?.extra.userinfo_signed_response_alg;
  if (alg === undefined) return claims;
  // §5.3.2: with the issuer and the client. Without `auth_time` nobody takes it for an id token.
  return signer.sign(account, alg, 'JWT', { ...claims, iss: account.baseUrl, aud: found.client.clientId });
}
