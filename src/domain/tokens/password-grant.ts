import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { Failure } from '../failure.ts';
import { firePreAuthentication } from '../hooks/fire.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { checkPassword, type PasswordAttempt } from '../login/check-password.ts';
import { passwordMethods } from '../login/methods.ts';
import { signingIn } from '../login/policy-of-sign-in.ts';
import { refuseSignIn, requireStandingToSignIn } from '../login/standing.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findDemand } from '../second-factor/demand.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import { chooseServer, linkedServersOf } from './audience.ts';
import { allowedScope, grantableScope, splitScope } from './scopes.ts';
import { startGrant } from './start-grant.ts';
import type { TokenSet } from './token-set.ts';

/**
 * Tokens for a user's name and password (RFC 6749 §4.3), where the account turned it on.
 * Throws `client_not_authorized`, `grant_invalid`, `scope_invalid`, `target_invalid`, `sign_in_refused` and the refusals of the user's standing.
 */
export async function grantByPassword(
  services: RunServices & Pick<Services, 'random' | 'signer' | 'passwords' | 'counts'>,
  account: Account,
  client: ClientRecord,
  attempt: PasswordAttempt,
  asked: { readonly scope: string | undefined; readonly resource: string | null },
  binding: string | null,
): Promise<TokenSet> {
  if (!account.settings.passwordGrant) throw new Failure('client_not_authorized');
  requireGrantType(client, 'password');
  const servers = await linkedServersOf(services, client);
  const scope = asked.scope === undefined ? null : splitScope(asked.scope);
  const linked = chooseServer(servers, { resource: asked.resource, scope });
  const own = linked ? [linked] : [];
  const granted = grantableScope(client, asked.scope, own);
  if (granted.length === 0) {
    throw new Failure('scope_invalid', { message: `scope must hold one of ${allowedScope(client, own).join(', ')}` });
  }
  const user = await checkPassword(services, account, attempt);
  if (!user) throw new Failure('grant_invalid', { reason: 'wrong name or password' });
  await requireStandingToSignIn(services, account, user, client);
  const inForce = await effectivePolicy(services, account, user, client);
  const { chosen } = await firePreAuthentication(services, account, signingIn(user, client, attempt), inForce);
  // Nor one on which to give a second factor. Who tries passwords must not learn that this one is right.
  if ((await findDemand(services, account, user.id, chosen ?? inForce)) !== 'none') {
    const failure = new Failure('grant_invalid', { reason: 'a second factor is needed' });
    return refuseSignIn(services, account, user, client, failure, 'second_factor_required');
  }
  const policy = await effectivePolicy(services, account, user, null);
  // There is no page here on which to choose a new password.
  if (mustReplacePassword(user, policy, services.clock.now())) {
    const failure = new Failure('user_inactive', { reason: 'password expired' });
    return refuseSignIn(services, account, user, client, failure);
  }
  const terms = {
    userId: user.id,
    serverId: asked.resource === null ? null : (linked?.server.id ?? null),
    scope: granted,
    sid: null,
    nonce: null,
    amr: passwordMethods,
    authenticatedAt: services.clock.now(),
  };
  const started = await services.store.transaction((tx) =>
    startGrant(services, tx, account, client, terms, linked, 'password', binding),
  );
  services.counts.add(account.id, 'password', client.appId);
  return started.tokens(user);
}
