import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { RunServices } from '../hooks/one-run.ts';
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

/** The contents of another program's sign-in form; either field may be missing. */
interface DelegatedAttempt {
  readonly email: string | undefined;
  readonly password: string | undefined;
}

type DelegatedResult =
  | { readonly outcome: 'authenticated'; readonly user: UserRecord }
  | { readonly outcome: 'unknown_user' }
  /** The password is wrong, or it is right but not enough; the trail records which. */
  | { readonly outcome: 'refused' };

/**
 * Checks a user's password for a caller with an API key (the document's §4.5). The check, its counters, the hooks and
 * the trail are those of the hosted sign-in. Where the hosted sign-in would ask for more than the password, or refuse
 * the user, the answer is a refusal. Throws `unavailable` when too many are waiting.
 */
export async function authenticateDelegated(
  services: DelegatedServices,
  account: Account,
  { email = '', password = '' }: DelegatedAttempt,
): Promise<DelegatedResult> {
  const possible = password !== '' && [...password].length <= mostCharacters;
  const attempt = {
    username: email,
    // Only an e-mail address identifies a user here: a user name that looks like another user's address must not match.
    nameIs: 'email',
    // An impossible password is replaced by a random one, so it is checked and counted like any other and never
    // matches.
    password: possible ? password : newSecret(services.random, ''),
    // One address sends the sign-ins of many users here; the limit of the API key applies instead.
    source: null,
  } as const;
  const tried = await tryPassword(services, account, attempt);
  if (!tried.user) return { outcome: tried.reason === 'unknown_user' ? 'unknown_user' : 'refused' };
  const { user, checkedAt } = tried;
  const evidence = { by: 'password', user, checkedAt } as const;
  // The user's own browser is not known here.
  const door = { client: ownPages(account), wantsSecondFactor: false, seen: { username: email, source: null } };
  const methods = methodsOf(evidence);
  const walked = await walkIn(services, account, evidence, door, async (tx, reached) => {
    if (reached.at !== 'end') return reached;
    await openAnswer(services, tx, account, reached, { methods, where: { method: 'delegated' } });
    return { at: reached.at, user: reached.user };
  });
  if (walked.at === 'end') return { outcome: 'authenticated', user: walked.user };
  const detail = { reason: reasonOf(walked), method: 'delegated', methods } as const;
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
