import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findDemand } from '../second-factor/demand.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { findWeakness } from '../users/password-rules.ts';
import { digestNewPassword, endSignIns, withPassword } from '../users/set-password.ts';
import { type BrowserState, requireCsrf } from './authorization-request.ts';
import { passwordMethods } from './methods.ts';
import { findPasswordProblem, type NewPassword, type PasswordProblem } from './new-password.ts';
import { startSession } from './sessions.ts';

/** A link that works, and whose it is. */
export interface OpenInvite {
  readonly token: string;
  readonly user: UserRecord;
  /** Whose rules the password keeps. */
  readonly policy: PolicyRecord;
}

export type InviteResult =
  | { readonly outcome: 'signed_in'; readonly sessionSecret: string; readonly browserSecret: string }
  /** The password is set; signing in takes a second factor as well. */
  | { readonly outcome: 'saved' }
  | { readonly outcome: 'refused'; readonly invite: OpenInvite; readonly problem: PasswordProblem };

/**
 * The link with this token. Throws `invite_unusable` (value `used`, `expired` or `unknown`; one that a newer link ended
 * is unknown), and `user_locked` or `user_suspended`: such a user's link waits until that is over.
 */
export async function findInvite(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  token: string | undefined,
): Promise<OpenInvite> {
  const link = token ? await services.store.invites.find(account.id, digestOf(token)) : null;
  if (!token || !link) throw unusable('unknown');
  if (link.usedAt !== null) throw unusable('used');
  if (link.expiresAt <= services.clock.now()) throw unusable('expired');
  const user = await services.store.users.find(account.id, link.userId);
  if (!user) throw unusable('unknown');
  requireFree(user);
  return { token, user, policy: await effectivePolicy(services, account, user, null) };
}

/**
 * Sets the password that the user chose, activates who waited for one, ends what the former one opened, uses the link up
 * and signs the user in; all of it or nothing. Throws as `findInvite` does, and `cross_site_request`, `unavailable`.
 */
export async function acceptInvite(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'vault'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  given: NewPassword,
): Promise<InviteResult> {
  requireCsrf(browser, csrf);
  const invite = await findInvite(services, account, browser.requestId);
  const { user, policy } = invite;
  const problem = await findPasswordProblem(services, user, given, () =>
    findWeakness(given.password, policy, { account, user }),
  );
  if (problem) return { outcome: 'refused', invite, problem };
  const passwordDigest = await digestNewPassword(services, account, user, policy, given.password);
  return services.store.transaction(async (tx) => {
    const now = services.clock.now();
    const current = await tx.users.find(account.id, user.id);
    if (!current || !(await tx.invites.use(account.id, digestOf(invite.token), now))) throw unusable('used');
    // Somebody may have locked the user while the password was hashed.
    requireFree(current);
    await tx.users.update(account.id, user.id, { ...withPassword(current, passwordDigest, now), updatedAt: now });
    const ended = await endSignIns(tx, account, user.id, now);
    const about = { actor: { type: 'user', id: user.id }, target: { type: 'user', id: user.id } } as const;
    await recordEvent(tx, services, account, { ...about, action: 'invite.used', detail: {} });
    const detail = { fields: ['password'], grants_revoked: ended };
    await recordEvent(tx, services, account, { ...about, action: 'user.changed', detail });
    if ((await findDemand({ store: tx }, account, user.id, policy)) !== 'none') return { outcome: 'saved' };
    return signIn(services, tx, account, browser, user, policy);
  });
}

async function signIn(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  browser: BrowserState,
  user: UserRecord,
  policy: PolicyRecord,
): Promise<InviteResult> {
  const sessionSecret = await startSession(services, tx, account, user, policy, passwordMethods, browser.sessionSecret);
  await tx.users.update(account.id, user.id, { lastLogin: services.clock.now() });
  const about = { type: 'user', id: user.id } as const;
  const detail = { method: 'invite', methods: passwordMethods } as const;
  await recordEvent(tx, services, account, { action: 'sign_in.succeeded', actor: about, target: about, detail });
  return { outcome: 'signed_in', sessionSecret, browserSecret: newSecret(services.random, '') };
}

/** A locked or suspended user gets no password and no session; the link stays as it is. */
function requireFree({ status }: Pick<UserRecord, 'status'>): void {
  if (status === 2) throw new Failure('user_suspended');
  if (status === 3) throw new Failure('user_locked');
}

function unusable(why: 'used' | 'expired' | 'unknown'): Failure {
  return new Failure('invite_unusable', { value: why });
}
