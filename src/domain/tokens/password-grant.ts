import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { followsFapi } from '../clients/security-profile.ts';
import { Failure } from '../failure.ts';
import type { RunServices } from '../hooks/one-run.ts';
import { type PasswordAttempt, tryPassword } from '../login/check-password.ts';
import { countRefusal } from '../login/count-failures.ts';
import { passwordMethods } from '../login/methods.ts';
import { changedMeanwhile, refuseSignIn } from '../login/standing.ts';
import type { Halted, Waiting } from '../opening/admit.ts';
import { methodsOf } from '../opening/evidence.ts';
import { openGrant } from '../opening/open.ts';
import { walkIn } from '../opening/walk.ts';
import { chooseServer, linkedServersOf } from './audience.ts';
import { grantableScope, splitScope } from './scopes.ts';
import type { Sender } from './sender.ts';
import { scopeFault } from './target.ts';
import type { TokenSet } from './token-set.ts';

/**
 * Tokens for a user's name and password (RFC 6749 §4.3), where the account turned it on. Throws
 * `client_not_authorized`, `grant_invalid`, `scope_invalid`, `target_invalid`, `sign_in_refused` and the refusals of
 * the user's standing.
 */
export async function grantByPassword(
  services: RunServices & Pick<Services, 'random' | 'signer' | 'passwords' | 'counts'>,
  account: Account,
  client: ClientRecord,
  attempt: PasswordAttempt,
  asked: { readonly scope: string | undefined; readonly resource: string | null },
  sender: Sender,
): Promise<TokenSet> {
  if (!account.settings.passwordGrant || followsFapi(account, client)) throw new Failure('client_not_authorized');
  requireGrantType(client, 'password');
  const servers = await linkedServersOf(services, client);
  const scope = asked.scope === undefined ? null : splitScope(asked.scope);
  const linked = chooseServer(servers, { resource: asked.resource, scope });
  const own = linked ? [linked] : [];
  const granted = grantableScope(account, client, asked.scope, own);
  const message = scopeFault(account, client, own, granted);
  if (message !== null) throw new Failure('scope_invalid', { message });
  const tried = await tryPassword(services, account, attempt);
  if (!tried.user) throw wrong();
  const { user, checkedAt } = tried;
  const evidence = { by: 'password', user, checkedAt } as const;
  const door = { client, wantsSecondFactor: false, seen: attempt };
  const terms = {
    serverId: asked.resource === null ? null : (linked?.server.id ?? null),
    scope: granted,
    sid: null,
    nonce: null,
    amr: methodsOf(evidence),
    authenticatedAt: checkedAt,
  };
  const walked = await walkIn(services, account, evidence, door, async (tx, reached) =>
    reached.at === 'end'
      ? {
          at: reached.at,
          user: reached.user,
          started: await openGrant(services, tx, account, reached, terms, linked, 'password', sender),
        }
      : reached,
  );
  if (walked.at !== 'end') return refuse(services, account, user, client, walked, attempt);
  services.counts.add(account.id, 'password', client.appId);
  return walked.started.tokens(walked.user);
}

function wrong(): Failure {
  return new Failure('grant_invalid', { reason: 'wrong name or password' });
}

/** There is no page here for the missing step, so the answer is a refusal. */
async function refuse(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>,
  account: Account,
  user: UserRecord,
  client: ClientRecord,
  stopped: Halted | Waiting,
  { source }: PasswordAttempt,
): Promise<never> {
  await countRefusal(services.limits, account, source);
  switch (stopped.at) {
    case 'refused':
      return refuseSignIn(services, account, user, client, passwordMethods, stopped.failure);
    case 'outdated':
      return refuseSignIn(services, account, user, client, passwordMethods, wrong(), changedMeanwhile);
    case 'second_factor':
    case 'enrolment': {
      // A client that guesses passwords must not learn that this one is right.
      const failure = new Failure('grant_invalid', { reason: 'a second factor is needed' });
      return refuseSignIn(services, account, user, client, passwordMethods, failure, 'second_factor_required');
    }
    case 'new_password': {
      const failure = new Failure('user_inactive', { reason: 'password expired' });
      return refuseSignIn(services, account, user, client, passwordMethods, failure);
    }
  }
}
