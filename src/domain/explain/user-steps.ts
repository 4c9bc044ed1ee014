/** What is decided about the user before anything is asked: pauses, what they sign in with, standing, access. */

import { type UserRecord, userStatuses } from '../../store/users.ts';
import { isUnstored } from '../clients/document-client.ts';
import type { Failure } from '../failure.ts';
import { isOwnPages } from '../login/own-pages.ts';
import { afterReplacing, findStandingFailure, findStatusFailure } from '../login/standing.ts';
import { networkSourceOf } from '../network-source.ts';
import { isPasswordClosed } from '../policies/lockout.ts';
import { userStatusNames } from '../users/user-status.ts';
import { type ExplainServices, type Known, named, namedApp, passes, type Remedy, refuses, type Step } from './steps.ts';

/** Methods in which the user gives the password. */
const withPassword: ReadonlySet<string> = new Set(['password', 'device', 'delegated', 'password_grant']);

function isByPassword({ question: { method } }: Pick<Known, 'question'>): boolean {
  return withPassword.has(method);
}

/** Pauses after wrong passwords, of the user and of the address. Null where no password is given. */
export async function attemptsStep(services: ExplainServices, known: Known): Promise<Step | null> {
  const { account, user, question } = known;
  if (!isByPassword(known)) return null;
  if (isPasswordClosed(user, services.clock.now())) {
    const until = new Date(user.lockedUntil ?? 0).toISOString();
    const message = `After too many wrong passwords no password of ${named(user)} is checked until ${until}.`;
    return refuses('attempts', 'attempts_paused', message, { by: 'unlock_user' });
  }
  const subject = question.address === null ? null : { source: networkSourceOf(question.address) };
  // Another program's form has the limit of its key in place of that of an address.
  const state =
    subject && question.method !== 'delegated' ? await services.limits.state(account, 'sign-in', subject) : null;
  if (state && state.remaining === 0) {
    const message =
      `Too many sign-ins failed from the network of ${question.address}: no password from there is checked for ` +
      `${state.resetSeconds} s (limit.sign-in).`;
    return refuses('attempts', 'source_limited', message);
  }
  const message = `${user.invalidLoginAttempts} wrong passwords in a row are counted; password checks are open.`;
  return passes('attempts', 'attempts_open', message);
}

/** Whether the user has what the method needs. Null where a session or a grant is used. */
export async function credentialStep(services: ExplainServices, known: Known): Promise<Step | null> {
  const { account, user, question } = known;
  if (isByPassword(known)) {
    if (question.method === 'delegated' && user.email === null) {
      return refuses(
        'credential',
        'no_password',
        `${named(user)} has no e-mail address, which this door finds users by.`,
      );
    }
    const message = 'A password is set. Whether the one that was typed is right is not known here.';
    return user.passwordDigest === null
      ? refuses('credential', 'no_password', `${named(user)} has no password.`, { by: 'invite_user' })
      : passes('credential', 'credential_there', message);
  }
  if (question.method !== 'passkey') return null;
  const passkeys = await services.store.passkeys.list(account.id, user.id);
  return passkeys.length === 0
    ? refuses('credential', 'no_passkey', `${named(user)} has no passkey. Only its owner can add one, once signed in.`)
    : passes('credential', 'credential_there', `${named(user)} has ${passkeys.length} passkeys.`);
}

/** The status. Whoever has an expired password may still replace it. */
export function userStep({ user, question }: Known): Step {
  const failure = findStatusFailure(
    question.method === 'sso' || question.method === 'refresh' ? user : afterReplacing(user),
  );
  if (!failure)
    return passes('user', 'user_active', `The status of ${named(user)} is ${userStatusNames[user.status]}.`);
  const { cause, remedy } = standing(failure, user);
  return refuses(
    'user',
    cause,
    `${named(user)} may not sign in: the status is ${userStatusNames[user.status]}.`,
    remedy,
  );
}

type Standing = 'user_locked' | 'user_suspended' | 'user_inactive';

function standing({ code }: Failure, user: UserRecord): { readonly cause: Standing; readonly remedy: Remedy } {
  if (code === 'user_locked') return { cause: code, remedy: { by: 'unlock_user' } };
  if (code === 'user_suspended') return { cause: code, remedy: { by: 'activate_user' } };
  // With a password there is nothing to be invited to.
  const by = user.status === userStatuses.passwordExpired ? 'activate_user' : 'invite_user';
  return { cause: 'user_inactive', remedy: { by } };
}

/** Whether the app may be used, told beside the status: whoever mends that would be refused by this. */
export async function accessStep({ store }: ExplainServices, known: Known): Promise<Step> {
  const { account, user, client } = known;
  if (isOwnPages(client))
    return passes('access', 'access_open', 'Every user of the account may use its account pages.');
  const active = { ...user, status: userStatuses.active };
  const failure = await findStandingFailure(store, account, active, client);
  if (failure) {
    const remedy: Remedy | null = isUnstored(client) ? null : { by: 'assign_app', appId: client.appId };
    const message = `${namedApp(client)} is assigned to ${named(user)} neither directly nor by a role.`;
    return refuses('access', 'access_not_assigned', message, remedy);
  }
  const giving = (await store.access.rolesOf(account.id, [client.appId])).get(client.appId) ?? [];
  const role = (await store.roles.ofUser(account.id, user.id)).find(({ id }) => giving.includes(id));
  return role
    ? passes('access', 'access_by_role', `${namedApp(client)} may be used by the role ${role.name} (${role.id}).`)
    : passes('access', 'access_direct', `${namedApp(client)} is assigned to ${named(user)}.`);
}
