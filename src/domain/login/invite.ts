import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSignIns } from '../endings/end-sign-ins.ts';
import { Failure } from '../failure.ts';
import type { RunServices } from '../hooks/one-run.ts';
import { changeUser } from '../means/change-user.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { digestOf, secretPrefixes } from '../secrets.ts';
import { findWeakness } from '../users/password-rules.ts';
import { digestNewPassword, withPassword } from '../users/set-password.ts';
import { type BrowserState, requireCsrf } from './authorization-request.ts';
import type { InviteKind } from './invite-kind.ts';
import { findPasswordProblem, type NewPassword, type PasswordProblem } from './new-password.ts';
import { type LinkWalked, walkFromLink } from './walk-from-link.ts';

/** A valid link and its user. */
export interface OpenInvite {
  readonly kind: InviteKind;
  readonly token: string;
  readonly user: UserRecord;
  /** The policy that the password must satisfy. */
  readonly policy: PolicyRecord;
}

type InviteResult =
  /** The password is set; the next step. */
  | ({ readonly kind: InviteKind } & LinkWalked)
  | { readonly outcome: 'refused'; readonly invite: OpenInvite; readonly problem: PasswordProblem };

/** The fields of the form, and where the user goes after signing in. */
interface AcceptedInvite extends NewPassword {
  /** The path of a page, by kind of link. */
  readonly onward: Readonly<Record<InviteKind, string>>;
  /** The address that the form came from. */
  readonly source: string;
  /** The browser's User-Agent. */
  readonly userAgent: string | undefined;
}

/**
 * The link with this token. Throws `invite_unusable` with value `used`, `expired` or `unknown`. A link is `unknown` too
 * when a newer invite replaced it, or when the user's e-mail address, user name, password or status changed. Throws
 * `user_locked` or `user_suspended` for a link made for such a user.
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
  // The link was made for another address, name, password or status.
  if (!user || user.meansVersion !== link.meansVersion) throw unusable(kind, 'unknown');
  requireFree(user);
  return { kind, token, user, policy: await effectivePolicy(services, account, user, null) };
}

/**
 * Sets the chosen password, activates a user who was waiting for one, ends what the former password opened, and uses up
 * the link, all in one transaction. Then the sign-in continues as after a password. Throws as `findInvite` does, and
 * `cross_site_request`, `unavailable`.
 */
export async function acceptInvite(
  services: RunServices & Pick<Services, 'random' | 'passwords' | 'clientDocuments'>,
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

/** Returns the user as stored afterwards. */
async function savePassword(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { kind, token, user }: OpenInvite,
  passwordDigest: string,
): Promise<UserRecord> {
  return services.store.transaction(async (tx) => {
    const current = await tx.users.lock(account.id, user.id);
    // Read once the user is locked: what the former password opened while this waited is older than the new one.
    const now = services.clock.now();
    // The password may have changed, or the user may have been locked, during hashing: that ends the link.
    if (!current) throw unusable(kind, 'unknown');
    if (!(await linksOf(tx, kind).use(account.id, digestOf(token), now))) throw unusable(kind, 'used');
    if (current.meansVersion !== user.meansVersion) throw unusable(kind, 'unknown');
    const changes = {
      ...withPassword(current, passwordDigest, now),
      // The service mailed the link to this address. Whoever asks for an invite link gets it themselves.
      ...(kind === 'reset' && { verifiedEmail: current.email }),
      updatedAt: now,
    };
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

/** A locked or suspended user gets neither password nor session, not even with a newer link. */
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
