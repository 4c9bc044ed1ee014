import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { changeUser } from '../means/change-user.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findDemand } from '../second-factor/demand.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { findWeakness } from '../users/password-rules.ts';
import { digestNewPassword, endSignIns, withPassword } from '../users/set-password.ts';
import { type BrowserState, requireCsrf } from './authorization-request.ts';
import { passwordMethods } from './methods.ts';
import { findPasswordProblem, type NewPassword, type PasswordProblem } from './new-password.ts';
import { startSession } from './sessions.ts';

/** `reset`: the user asked for it; else an administrator did. */
export type InviteKind = 'invite' | 'reset';

/** A link that works, and whose it is. */
export interface OpenInvite {
  readonly kind: InviteKind;
  readonly token: string;
  readonly user: UserRecord;
  /** Whose rules the password keeps. */
  readonly policy: PolicyRecord;
}

export type InviteResult =
  | {
      readonly outcome: 'signed_in';
      readonly kind: InviteKind;
      readonly sessionSecret: string;
      readonly browserSecret: string;
    }
  /** The password is set; signing in takes a second factor as well. */
  | { readonly outcome: 'saved'; readonly kind: InviteKind }
  | { readonly outcome: 'refused'; readonly invite: OpenInvite; readonly problem: PasswordProblem };

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
  const { kind, user, policy } = invite;
  const problem = await findPasswordProblem(services, user, given, () =>
    findWeakness(given.password, policy, { account, user }),
  );
  if (problem) return { outcome: 'refused', invite, problem };
  const passwordDigest = await digestNewPassword(services, account, user, policy, given.password);
  return services.store.transaction(async (tx) => {
    const now = services.clock.now();
    const current = await tx.users.lock(account.id, user.id);
    // Somebody may have changed the password, or locked the user, while this one was hashed: that ends the link.
    if (!current) throw unusable(kind, 'unknown');
    if (!(await linksOf(tx, kind).use(account.id, digestOf(invite.token), now))) throw unusable(kind, 'used');
    if (current.meansVersion !== user.meansVersion) throw unusable(kind, 'unknown');
    await changeUser(services, tx, account, current, { ...withPassword(current, passwordDigest, now), updatedAt: now });
    const ended = await endSignIns(tx, account, user.id, now);
    const about = { actor: { type: 'user', id: user.id }, target: { type: 'user', id: user.id } } as const;
    const action = kind === 'reset' ? 'password_reset.used' : 'invite.used';
    await recordEvent(tx, services, account, { ...about, action, detail: {} });
    const detail = { fields: ['password'], grants_revoked: ended };
    await recordEvent(tx, services, account, { ...about, action: 'user.changed', detail });
    if ((await findDemand({ store: tx }, account, user.id, policy)) !== 'none') return { outcome: 'saved', kind };
    return signIn(services, tx, account, browser, invite);
  });
}

async function signIn(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  browser: BrowserState,
  { kind, user, policy }: OpenInvite,
): Promise<InviteResult> {
  const sessionSecret = await startSession(services, tx, account, user, policy, passwordMethods, browser.sessionSecret);
  await tx.users.update(account.id, user.id, { lastLogin: services.clock.now() });
  const about = { type: 'user', id: user.id } as const;
  const detail = { method: kind, methods: passwordMethods };
  await recordEvent(tx, services, account, { action: 'sign_in.succeeded', actor: about, target: about, detail });
  return { outcome: 'signed_in', kind, sessionSecret, browserSecret: newSecret(services.random, '') };
}

/** A locked or suspended user gets no password and no session, also by a link that was made since. */
function requireFree({ status }: Pick<UserRecord, 'status'>): void {
  if (status === 2) throw new Failure('user_suspended');
  if (status === 3) throw new Failure('user_locked');
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
