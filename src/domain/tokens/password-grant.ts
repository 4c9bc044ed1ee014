import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { checkPassword, type PasswordAttempt } from '../login/check-password.ts';
import { requireStanding } from '../login/standing.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { mustReplacePassword } from '../users/set-password.ts';
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
  await requireStanding(services.store, user, client);
  const policy = await effectivePolicy(services, account, user, null);
  // There is no page here on which to choose a new one.
  if (mustReplacePassword(user, policy, services.clock.now())) {
    throw new Failure('user_inactive', { reason: 'password expired' });
  }
  const { grant, accessToken, refreshToken } = await services.store.transaction((tx) =>
    startGrant(services, tx, account, client, {
      userId: user.id,
      scope: granted,
      sid: null,
      nonce: null,
      amr: ['pwd'],
      authenticatedAt: services.clock.now(),
    }),
  );
  return {
    accessToken,
    expiresInSeconds: accessTokenSeconds,
    scope: granted,
    idToken: await makeIdToken(services, account, client, grant, user, accessToken, null),
    refreshToken,
  };
}
