import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findDemand } from '../second-factor/demand.ts';
import { newSecret } from '../secrets.ts';
import { mostCharacters } from '../users/password-rules.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import { tryPassword } from './check-password.ts';
import { passwordMethods } from './methods.ts';
import { findStatusFailure } from './standing.ts';

type DelegatedServices = Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'limits' | 'vault'>;

/** What another program's sign-in form was given; either may be missing. */
export interface DelegatedAttempt {
  readonly email: string | undefined;
  readonly password: string | undefined;
}

export type DelegatedResult =
  | { readonly outcome: 'authenticated'; readonly user: UserRecord }
  | { readonly outcome: 'unknown_user' }
  /** A wrong password, or a right one that does not do; the trail tells which. */
  | { readonly outcome: 'refused' };

/**
 * Whether the password is the user's, for the caller behind an API key (the document's §4.5). The check, its counters
 * and the trail are those of the hosted sign-in. Where that would ask for more than the password, or refuse the user,
 * the answer is a refusal. Throws `unavailable` when too many wait.
 */
export async function authenticateDelegated(
  services: DelegatedServices,
  account: Account,
  { email = '', password = '' }: DelegatedAttempt,
): Promise<DelegatedResult> {
  const possible = password !== '' && [...password].length <= mostCharacters;
  const attempt = {
    username: email,
    // The user is an e-mail address here: a user name that looks like somebody else's address must not pass for it.
    nameIs: 'email',
    // Nothing that nobody has as a password is ever right, and it is checked and counted as any other.
    password: possible ? password : newSecret(services.random, ''),
    // Whoever shows an API key speaks for many users from one address; the key's own limit holds here.
    source: null,
  } as const;
  const tried = await tryPassword(services, account, attempt);
  if (!tried.user) return { outcome: tried.reason === 'unknown_user' ? 'unknown_user' : 'refused' };
  const { user } = tried;
  const reason = await findObstacle(services, account, user);
  const target = { type: 'user', id: user.id } as const;
  await services.store.transaction(async (tx) => {
    if (reason !== null) {
      const detail = { reason, method: 'delegated' } as const;
      await recordEvent(tx, services, account, { action: 'sign_in.refused', target, detail });
      return;
    }
    await tx.users.update(account.id, user.id, { lastLogin: services.clock.now() });
    const detail = { method: 'delegated', methods: passwordMethods } as const;
    await recordEvent(tx, services, account, { action: 'sign_in.succeeded', target, detail });
  });
  return reason === null ? { outcome: 'authenticated', user } : { outcome: 'refused' };
}

/** Why the right password alone does not sign this user in; null when it does. */
async function findObstacle(services: DelegatedServices, account: Account, user: UserRecord): Promise<string | null> {
  const failure = findStatusFailure(user);
  if (failure) return user.status === 4 ? 'password_expired' : failure.code;
  const policy = await effectivePolicy(services, account, user, null);
  if (mustReplacePassword(user, policy, services.clock.now())) return 'password_expired';
  return (await findDemand(services, account, user.id, policy)) === 'none' ? null : 'second_factor_required';
}
