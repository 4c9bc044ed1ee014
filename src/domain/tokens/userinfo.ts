import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { findAccessToken, isActive } from './access-token.ts';
import { userClaims } from './claims.ts';

/** Claims about the user behind an access token (OpenID Connect Core §5.3). Throws `access_token_invalid`, or `scope_insufficient` without `openid`. */
export async function readUserinfo(
  services: Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>,
  account: Account,
  accessToken: string | null,
): Promise<Record<string, unknown>> {
  const found = accessToken === null ? null : await findAccessToken(services, account, accessToken);
  if (!found || !isActive(found, services.clock.now())) {
    throw new Failure('access_token_invalid', { challenged: accessToken !== null });
  }
  if (!found.user || !found.scope.includes('openid')) {
    throw new Failure('scope_insufficient', { scopes: ['openid'] });
  }
  const asked = found.grant && (await services.store.grants.findClaims(account.id, found.grant.id));
  return userClaims(services, account, found.client, found.user, found.scope, asked ?? undefined);
}
