import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import type { Halted, Waiting } from '../opening/admit.ts';
import { methodsOf } from '../opening/evidence.ts';
import { openAnswer } from '../opening/open.ts';
import { walkIn } from '../opening/walk.ts';
import { newSecret } from '../secrets.ts';
import { mostCharacters } from '../users/password-rules.ts';
import { tryPassword } from './check-password.ts';
import { ownPages } from './own-pages.ts';
import { changedMeanwhile } from './standing.ts';

type DelegatedServices = RunServices & Pick<Services, 'random' | 'passwords'>;

/** What another program's sign-in form was given; either may be missing. */
interface DelegatedAttempt {
  readonly email: string | undefined;
  readonly password: string | undefined;
}

type DelegatedResult =
  | { readonly outcome: 'authenticated'; readonly user: UserRecord }
  | { readonly outcome: 'unknown_user' }
  /** A wrong password, or a right one that does not do; the trail tells which. */
  | { readonly outcome: 'refused' };

/**
 * Whether the password is the user's, for the caller behind an API key (the document's §4.5). The check, its counters,
 * the hooks and the trail are those of the hosted sign-in. Where that would ask for more than the password, or refuse
 * the user, the answer is a refusal. Throws `unavailable` when too many wait.
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
  const { user, checkedAt } = tried;
  const evidence = { by: 'password', user, checkedAt } as const;
  // Of the user's own browser nothing is known.
  const door = { client: ownPages(account), wantsSecondFactor: false, seen: { username: email, source: null } };
  const methods = methodsOf(evidence);
  const walked = await walkIn(services, account, evidence, door, async (tx, reached) => {
    if (reached.at !== 'end') return reached;
    await openAnswer(services, tx, account, reached, { methods, where: { method: 'delegated' } });
    return { at: reached.at, user: reached.user };
  });
  if (walked.at === 'end') return { outcome: 'authenticated', user: walked.user };
  const detail = { reason: reasonOf(walked), method: 'delegated' } as const;
  const target = { type: 'user', id: user.id } as const;
  await recordEvent(services.store, services, account, { action: 'sign_in.refused', target, detail });
  return { outcome: 'refused' };
}

/** Why the right password alone does not sign this user in. */
function reasonOf(stopped: Halted | Waiting): string {
  switch (stopped.at) {
    case 'refused':
      return stopped.failure.code;
    case 'outdated':
      return changedMeanwhile;
    case 'new_password':
      return 'password_expired';
    case 'second_factor':
    case 'enrolment':
      return 'second_factor_required';
  }
}
