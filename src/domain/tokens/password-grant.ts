import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { checkPassword, type PasswordAttempt } from '../login/check-password.ts';
import { requireStandingToSignIn } from '../login/standing.ts';
import { allowedScope, grantableScope } from './scopes.ts';
import { startGrant } from './start-grant.ts';
import { accessTokenSeconds, makeIdToken, type TokenSet } from './token-set.ts';

/**
 * Tokens for a user's name and password (RFC 6749 §4.3), where the account turned it on.
 * Throws `client_not_authorized`, `grant_invalid`, `scope_invalid` and the refusals of the user's standing.
 */
export async function grantByPassword(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer' | 'passwords' | 'limits'>,
  account: Account,
  client: ClientRecord,
  attempt: PasswordAttempt,
  scope: string | undefined,
): Promise<TokenSet> {
  if (!account.settings.passwordGrant || !client.grantTypes.includes('password')) {
    throw new Failure('client_not_authorized');
  }
  const granted = grantableScope(client, scope);
  if (granted.length === 0) {
    throw new Failure('scope_invalid', { message: `scope must hold one of ${allowedScope(client).join(', ')}` });
  }
  const user = await checkPassword(services, account, attempt);
  if (!user) throw new Failure('grant_invalid', { reason: 'wrong name or password' });
  await requireStandingToSignIn(services, account, user, client);
  const terms = {
    userId: user.id,
    scope: granted,
    sid: null,
    nonce: null,
    amr: ['pwd'],
    authenticatedAt: services.clock.now(),
  };
  const { grant, accessToken, refreshToken } = await services.store.transaction((tx) =>
    startGrant(services, tx, account, client, terms, 'password'),
  );
  return {
    accessToken,
    expiresInSeconds: accessTokenSeconds,
    scope: granted,
    idToken: await makeIdToken(services, account, client, grant, user, accessToken, null),
    refreshToken,
  };
}
