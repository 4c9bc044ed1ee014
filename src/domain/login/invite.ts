import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSignIns } from '../endings/end-sign-ins.ts';
import { Failure } from '../failure.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { changeUser } from '../means/change-user.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { digestOf, secretPrefixes } from '../secrets.ts';
import { findWeakness } from '../users/password-rules.ts';
import { digestNewPassword, withPassword } from '../users/set-password.ts';
import { type BrowserState, requireCsrf } from './authorization-request.ts';
import type { InviteKind } from './invite-kind.ts';
import { findPasswordProblem, type NewPassword, type PasswordProblem } from './new-password.ts';
import { type LinkWalked, walkFromLink } from './walk-from-link.ts';

/** A link that works, and whose it is. */
export interface OpenInvite {
  readonly kind: InviteKind;
  readonly token: string;
  readonly user: UserRecord;
  /** Whose rules the password keeps. */
  readonly policy: PolicyRecord;
}

type InviteResult =
  /** The password is set; where that leads. */
  | ({ readonly kind: InviteKind } & LinkWalked)
  | { readonly outcome: 'refused'; readonly invite: OpenInvite; readonly problem: PasswordProblem };

/** What the form of the page sent, and where its user goes once signed in. */
interface AcceptedInvite extends NewPassword {
  /** Path of a page of ours, by kind of link. */
  readonly onward: Readonly<Record<InviteKind, string>>;
  /** Address that it came from. */
  readonly source: string;
  /** What the browser says of itself. */
  readonly userAgent: string | undefined;
}

/**
 * The link with this token. Throws `invite_unusable` (value `used`, `expired` or `unknown`, which is also one that a newer
 * invite ended, or another e-mail address, user name, password or status of its user), and `user_locked` or
 * `user_suspended` for one that was made for such a user.
 */
export async function findInvite(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  token: string | undefined,
): Promise<OpenInvite> {
  const kind = kindOf(token ?? '');
  const link = token ? await linksOf(services.store, kind).find(account.id, digestOf(token)) : null;
  if (!token || !link) throw unusable(kind, 'unknown');
  if (link.usedAt !== null) throw unusable(kind, 'used');
  if (link.expiresAt <= services.clock.now()) throw unusable(kind, 'expired');
  const user = await services.store.users.find(account.id, link.userId);
  // It was made for another address, name, password or status.
  if (!user || user.meansVersion !== link.meansVersion) throw unusable(kind, 'unknown');
  requireFree(user);
  return { kind, token, user, policy: await effectivePolicy(services, account, user, null) };
}

/**
 * Sets the password that the user chose, activates who waited for one, ends what the former one opened and uses the link
 * up; all of it or nothing. That done, the same walk follows as after a password. Throws as `findInvite` does, and
 * `cross_site_request`, `unavailable`.
 */
export async function acceptInvite(
  services: RunServices & Pick<Services, 'random' | 'passwords'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  given: AcceptedInvite,
): Promise<InviteResult> {
  requireCsrf(browser, csrf);
  const invite = await findInvite(services, account, browser.requestId);
  const { kind } = invite;
  const problem = await findPasswordProblem(services, invite.user, given, () =>
    findWeakness(given.password, invite.policy, { account, user: invite.user }),
  );
  if (problem) return { outcome: 'refused', invite, problem };
  const passwordDigest = await digestNewPassword(services, account, invite.user, invite.policy, given.password);
  const user = await savePassword(services, account, invite, passwordDigest);
  const checkedAt = user.passwordChangedAt ?? services.clock.now();
  const evidence = { by: 'link', kind, user, checkedAt } as const;
  const { source, userAgent, onward } = given;
  const seen = { username: user.email ?? user.username ?? '', source, userAgent };
  return { kind, ...(await walkFromLink(services, account, browser, evidence, seen, onward[kind])) };
}

/** Answers the user as they are then. */
async function savePassword(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { kind, token, user }: OpenInvite,
  passwordDigest: string,
): Promise<UserRecord> {
  return services.store.transaction(async (tx) => {
    const current = await tx.users.lock(account.id, user.id);
    // Once locked: what the former password opened while this waited is older than the new one.
    const now = services.clock.now();
    // Somebody may have changed the password, or locked the user, while this one was hashed: that ends the link.
    if (!current) throw unusable(kind, 'unknown');
    if (!(await linksOf(tx, kind).use(account.id, digestOf(token), now))) throw unusable(kind, 'used');
    if (current.meansVersion !== user.meansVersion) throw unusable(kind, 'unknown');
    const changes = { ...withPassword(current, passwordDigest, now), updatedAt: now };
    const changed = await changeUser(services, tx, account, current, changes);
    const { grantsRevoked } = await endSignIns(services, tx, account, user, { because: 'password changed' });
    const about = { actor: { type: 'user', id: user.id }, target: { type: 'user', id: user.id } } as const;
    const action = kind === 'reset' ? 'password_reset.used' : 'invite.used';
    await recordEvent(tx, services, account, { ...about, action, detail: {} });
    const detail = { fields: ['password'], grants_revoked: grantsRevoked };
    await recordEvent(tx, services, account, { ...about, action: 'user.changed', detail });
    return changed ?? current;
  });
}

/** A locked or suspended user gets no password and no session, also by a link that was made since. */
function requireFree({ status }: Pick<UserRecord, 'status'>): void {
  if (status === userStatuses.suspended) throw new Failure('user_suspended');
  if (status === userStatuses.locked) throw new Failure('user_locked');
}

function kindOf(token: string): InviteKind {
  return token.startsWith(secretPrefixes.resetLink) ? 'reset' : 'invite';
}

function linksOf(store: Pick<StoreVerbs, 'invites' | 'passwordResets'>, kind: InviteKind) {
  return kind === 'reset' ? store.passwordResets : store.invites;
}

function unusable(kind: InviteKind, why: 'used' | 'expired' | 'unknown'): Failure {
  return new Failure('invite_unusable', { name: kind, value: why });
}
