import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { findAccessToken } from './access-token.ts';
import { findGrantOfRefreshToken } from './introspect.ts';

/**
 * Revokes a token of the client that asks (RFC 7009 §2.1). A refresh token, the live one or an older one, ends the whole
 * grant; an access token ends alone (a JWT for introspection: who only checks its signature takes it until it expires). A token that does not exist is as good as revoked. Throws `request_invalid`
 * for another client's access token.
 */
export async function revokeToken(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'signer'>,
  account: Account,
  client: ClientRecord,
  text: string,
): Promise<void> {
  const now = services.clock.now();
  const grant = await findGrantOfRefreshToken(services, account, client, text);
  if (grant) return services.store.grants.revoke(account.id, grant.id, now, 'revoked by the client');
  const found = await findAccessToken(services, account, text);
  if (!found) return;
  if (found.token.appId !== client.appId) {
    throw new Failure('request_invalid', { name: 'token', message: 'the token was issued to another client' });
  }
  await services.store.grants.revokeAccessToken(account.id, found.token.id, now);
}
