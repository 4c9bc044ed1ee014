import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endInFlight } from '../endings/in-flight.ts';
import { endAllBut } from '../endings/recorded.ts';
import { checkPassword } from '../login/check-password.ts';
import { findPasswordProblem, type NewPassword, type PasswordProblem } from '../login/new-password.ts';
import { changeUser } from '../means/change-user.ts';
import type { Admitted } from '../opening/admit.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findWeakness } from '../users/password-rules.ts';
import { digestNewPassword, withPassword } from '../users/set-password.ts';
import { inVisit, type Visitor } from './visit.ts';

/** The form. */
interface PasswordChange extends NewPassword {
  /** The password to be replaced. */
  readonly current: string;
  /** Whether all other sessions end, with what was granted in them. */
  readonly endOthers: boolean;
  /** The address that the form came from. */
  readonly source: string;
}

/** `wrong`: it is not the current password, or sign-in by password is closed; one answer for both. */
export type ChangeProblem = PasswordProblem | 'wrong';

type ChangeResult = { readonly outcome: 'changed' } | { readonly outcome: 'refused'; readonly problem: ChangeProblem };

type ChangeServices = Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'limits' | 'vault'>;

/** The policy for a new password of the user. */
export function passwordPolicy(
  services: Pick<Services, 'store'>,
  account: Account,
  { user }: Pick<Visitor, 'user'>,
): Promise<PolicyRecord> {
  return effectivePolicy(services, account, user, null);
}

/**
 * Replaces the password of a signed-in user who knows the current one; wrong ones count as they do at a sign-in. The
 * browser's session stays. Throws `rate_limited`, `unavailable`, and as `inVisit` does.
 */
export async function changePassword(
  services: ChangeServices,
  account: Account,
  visit: Visitor,
  { current, password, confirmation, endOthers, source }: PasswordChange,
): Promise<ChangeResult> {
  const { user } = visit;
  const refuse = (problem: ChangeProblem) => ({ outcome: 'refused', problem }) as const;
  if (current === '') return refuse('wrong');
  if (password === '' || confirmation === '') return refuse('missing');
  const attempt = { username: user.email ?? user.username ?? '', password: current, source };
  const known = await checkPassword(services, account, attempt);
  if (known?.id !== user.id) return refuse('wrong');
  const policy = await passwordPolicy(services, account, { user });
  const problem = await findPasswordProblem(services, user, { password, confirmation }, () =>
    findWeakness(password, policy, { account, user }),
  );
  if (problem) return refuse(problem);
  const passwordDigest = await digestNewPassword(services, account, user, policy, password);
  const write = async (tx: StoreVerbs, { user: stored, session }: Admitted<SessionRecord>): Promise<boolean> => {
    // Read inside the visit: what the former password opened while this waited is older than the new one.
    const now = services.clock.now();
    // Another password may have been set during hashing; the right password rehashes an imported digest.
    if (stored.passwordChangedAt !== user.passwordChangedAt) return false;
    await changeUser(services, tx, account, stored, { ...withPassword(stored, passwordDigest, now), updatedAt: now });
    const about = { type: 'user', id: user.id } as const;
    const others = endOthers ? await endAllBut(services, tx, account, user, session, about) : null;
    // Everything in flight depends on the former password, so it ends in any case.
    if (!others) await endInFlight(tx, account, { userId: user.id });
    const detail = { fields: ['password'], ...(others && { grants_revoked: others.grantsRevoked }) };
    await recordEvent(tx, services, account, { action: 'user.changed', actor: about, target: about, detail });
    return true;
  };
  const isChanged = await inVisit(services, account, visit, { recent: true }, write);
  return isChanged ? { outcome: 'changed' } : refuse('wrong');
}
