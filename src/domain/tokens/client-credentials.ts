import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { accessTokenSeconds, prepareAccessToken, type TokenSet } from './token-set.ts';

/**
 * An access token for the client itself (RFC 6749 §4.4): for clients with a secret, without a refresh token (§4.4.3).
 * No scope of this service is about a client, so the token has none; asking for one throws `scope_invalid`.
 */
export async function grantToClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'counts'>,
  account: Account,
  client: ClientRecord,
  scope: readonly string[] | null,
): Promise<TokenSet> {
  if (client.secretDigest === null || !client.grantTypes.includes('client_credentials')) {
    throw new Failure('client_not_authorized');
  }
  if (scope !== null && scope.length > 0) {
    throw new Failure('scope_invalid', { name: 'scope', reason: 'a scope about a user' });
  }
  const prepared = prepareAccessToken(services);
  const { id } = await services.store.grants.addAccessToken({
    ...prepared.row,
    accountId: account.id,
    grantId: null,
    appId: client.appId,
    userId: null,
    scope: [],
    revokedAt: null,
  });
  services.counts.add(account.id, 'client_credentials', client.appId);
  return {
    accessToken: prepared.text(id),
    expiresInSeconds: accessTokenSeconds,
    scope: [],
    idToken: null,
    refreshToken: null,
  };
}
