import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSignIns } from '../endings/end-sign-ins.ts';
import { shareOf } from '../fair-queue/share.ts';
import { changeUser } from '../means/change-user.ts';
import { admit } from '../opening/admit.ts';
import type { MoreShown } from '../opening/evidence.ts';
import { findWeakness } from '../users/password-rules.ts';
import { digestNewPassword, withPassword } from '../users/set-password.ts';
import { type BrowserState, findOpenRequest, requireCsrf } from './authorization-request.ts';
import { notDue } from './current-step.ts';
import { wayOf } from './due.ts';
import { type DueReplacing, findPending, refuseStopped } from './pending.ts';
import { type Advanced, goOn } from './sign-in.ts';

/** The two fields of the form. */
export interface NewPassword {
  readonly password: string;
  readonly confirmation: string;
}

/**
 * Why a new password is rejected: a field is empty, the fields differ, it is the former password, or it breaks a rule
 * (worded to follow "the password").
 */
export type PasswordProblem = 'missing' | 'different' | 'same' | { readonly weakness: string };

type NewPasswordResult =
  | Advanced
  | { readonly outcome: 'refused'; readonly due: DueReplacing; readonly problem: PasswordProblem };

/**
 * Replaces an expired password and signs its user in. Ends the sessions and grants that the former password opened.
 * Throws `authorization_request_invalid` when no new password is due, `cross_site_request`, `unavailable`, and
 * `user_locked`, `user_suspended`, `user_inactive`, `access_not_assigned` when the user's standing has changed
 * meanwhile.
 */
export async function chooseNewPassword(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'vault' | 'clientDocuments'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  given: NewPassword,
): Promise<NewPasswordResult> {
  const request = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  const pending = await findPending(services, account, request);
  if (pending?.step === 'refused') return refuseStopped(services, account, pending);
  if (pending?.step !== 'new_password') throw notDue('new password');
  const { user, policy, methods } = pending;
  const problem = await findPasswordProblem(services, user, given, () =>
    findWeakness(given.password, policy, { account, user }),
  );
  if (problem) return { outcome: 'refused', due: pending, problem };
  const passwordDigest = await digestNewPassword(services, account, user, policy, given.password);
  const shown = { checkedAt: request.record.passwordCheckedAt ?? 0, methods, session: null };
  const way = wayOf(request, user);
  return services.store.transaction(async (tx) => {
    const former: MoreShown = { by: 'new_password', user, ...shown };
    const reached = await admit(services, tx, account, former, way);
    // Another password may have been set, or the user locked, during hashing.
    if (reached.at !== 'new_password') throw notDue('new password');
    const now = services.clock.now();
    const changes = { ...withPassword(reached.user, passwordDigest, now), updatedAt: now };
    const changed = await changeUser(services, tx, account, reached.user, changes);
    if (!changed) throw notDue('new password');
    const ending = { because: 'password changed', request: request.record.digest };
    const { grantsRevoked } = await endSignIns(services, tx, account, user, ending);
    const about = { type: 'user', id: user.id } as const;
    const detail = { fields: ['password'], grants_revoked: grantsRevoked };
    await recordEvent(tx, services, account, { action: 'user.changed', actor: about, target: about, detail });
    const evidence: MoreShown = { by: 'new_password', user: changed, ...shown, checkedAt: now };
    const end = await admit(services, tx, account, evidence, way);
    if (end.at === 'outdated' || end.at === 'refused') throw notDue('new password');
    return goOn(services, tx, account, browser, request, evidence, end);
  });
}

/** What is wrong with a new password, or null. */
export async function findPasswordProblem(
  { passwords }: Pick<Services, 'passwords'>,
  user: Pick<UserRecord, 'accountId' | 'passwordDigest'>,
  { password, confirmation }: NewPassword,
  findBrokenRule: () => string | null,
): Promise<PasswordProblem | null> {
  if (password === '' || confirmation === '') return 'missing';
  if (password !== confirmation) return 'different';
  const weakness = findBrokenRule();
  if (weakness) return { weakness };
  const share = shareOf({ id: user.accountId });
  return (await passwords.verify(password, user.passwordDigest, share)) ? 'same' : null;
}
