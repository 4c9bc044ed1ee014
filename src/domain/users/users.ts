import type { Services } from '../../services.ts';
import type { Milliseconds, UserRecord, UserStatus } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { endByChange } from '../endings/end-by-change.ts';
import { endSignIns } from '../endings/end-sign-ins.ts';
import { Failure } from '../failure.ts';
import { changeUser } from '../means/change-user.ts';
import { effectivePolicy, policyOfNewUser } from '../policies/effective-policy.ts';
import { replaceRoles, requireRole } from '../roles/roles.ts';
import { readText } from '../text.ts';
import { readEmail } from './identifiers.ts';
import { changedNames, readNames } from './names.ts';
import type { PasswordOwner } from './password-rules.ts';
import { digestNewPassword, withPassword } from './set-password.ts';
import { type SettableStatus, settableStatuses } from './user-status.ts';

type UserServices = Pick<Services, 'store' | 'clock' | 'passwords' | 'vault'>;

export interface NewUser {
  readonly email?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly firstname?: string | undefined;
  readonly lastname?: string | undefined;
  /** Names of roles. */
  readonly roles?: readonly string[] | undefined;
}

/** Changes to a user; null clears. */
export interface UserChanges {
  readonly email?: string | null;
  readonly username?: string | null;
  readonly password?: string;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly status?: SettableStatus;
  /** Names of all roles the user has from then on. */
  readonly roles?: readonly string[];
}

/**
 * Makes a user: active with a password, else unactivated. Throws `value_invalid` for what breaks a rule, `not_found`
 * for an unknown role, `conflict` (name `email` or `username`) when another user has the name.
 */
export async function createUser(services: UserServices, account: Account, given: NewUser): Promise<UserRecord> {
  const { store, clock } = services;
  const names = readNames(given.email ?? null, given.username ?? null);
  const firstname = readOptional('firstname', given.firstname);
  const lastname = readOptional('lastname', given.lastname);
  const passwordDigest = await digestFirstPassword(services, account, { ...names, firstname, lastname }, given);
  const now = clock.now();
  const whenActive = passwordDigest === null ? null : now;
  return store.transaction(async (tx) => {
    const user = await tx.users.create({
      accountId: account.id,
      ...names,
      firstname,
      lastname,
      status: passwordDigest === null ? 0 : 1,
      passwordDigest,
      invalidLoginAttempts: 0,
      lockedUntil: null,
      lastLogin: null,
      passwordChangedAt: whenActive,
      activatedAt: whenActive,
      createdAt: now,
      updatedAt: now,
    });
    if (given.roles !== undefined) await replaceRoles(tx, account, user.id, given.roles, now);
    const target = { type: 'user', id: user.id } as const;
    await recordEvent(tx, services, account, { action: 'user.created', target, detail: { fields: setFields(given) } });
    return user;
  });
}

/**
 * Changes a user. A new password ends the user's sessions and grants and activates one who waited for it; suspending ends
 * sessions, and grants wait. Locking leaves both in place: it refuses while it lasts. Clients hear of sessions that ended
 * from the server, which looks for what it has to tell.
 * Throws as `createUser` does, and `not_found` when there is no such user.
 */
export async function setUser(
  services: UserServices,
  account: Account,
  userId: number,
  changes: UserChanges,
): Promise<UserRecord> {
  const passwordDigest = await digestChangedPassword(services, account, userId, changes);
  return services.store.transaction(async (tx) => {
    const user = await tx.users.lock(account.id, userId);
    if (!user) throw unknownUser();
    // Once locked: what opened while this waited is older than a suspension or another password.
    const now = services.clock.now();
    const changed = await changeUser(services, tx, account, user, {
      ...changedNames(user, changes),
      ...(changes.firstname !== undefined && { firstname: readOptional('firstname', changes.firstname) }),
      ...(changes.lastname !== undefined && { lastname: readOptional('lastname', changes.lastname) }),
      ...(passwordDigest !== undefined && withPassword(user, passwordDigest, now)),
      ...(changes.status !== undefined && withStatus(user, settableStatuses[changes.status], now)),
      updatedAt: now,
    });
    if (!changed) throw unknownUser();
    let ended = changes.roles === undefined ? 0 : await replaceRoles(tx, account, userId, changes.roles, now);
    ended += await endByChange(services, tx, account, user, changed, passwordDigest);
    const target = { type: 'user', id: userId } as const;
    const detail = { fields: setFields(changes), grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'user.changed', target, detail });
    return changed;
  });
}

/** The user with this id; throws `not_found`. */
export async function requireUserId(
  store: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<UserRecord> {
  const user = await store.users.find(account.id, userId);
  if (!user) throw unknownUser();
  return user;
}

/** The same, locked until the transaction ends; what else it touches of the user's comes after. */
export async function lockUser(
  tx: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<UserRecord> {
  const user = await tx.users.lock(account.id, userId);
  if (!user) throw unknownUser();
  return user;
}

/** The user with this e-mail address, in any case; throws `not_found`. */
export async function requireUser(
  store: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  email: string,
): Promise<UserRecord> {
  const user = await store.users.findByEmail(account.id, readEmail(email).key);
  if (!user) throw unknownUser(email);
  return user;
}

export function listUsers(services: Pick<Services, 'store'>, account: Pick<Account, 'id'>): Promise<UserRecord[]> {
  return services.store.users.list(account.id);
}

/** Removes the user and all that was granted in their name, and has clients told; throws `not_found`. */
export async function removeUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await endSignIns(services, tx, account, { id: userId }, { because: null });
    if (!(await tx.users.remove(account.id, userId))) throw unknownUser();
    const target = { type: 'user', id: userId } as const;
    await recordEvent(tx, services, account, { action: 'user.removed', target, detail: {} });
  });
}

async function digestFirstPassword(
  services: UserServices,
  account: Account,
  user: PasswordOwner['user'],
  { password, roles = [] }: NewUser,
): Promise<string | null> {
  if (password === undefined) return null;
  const roleIds: number[] = [];
  for (const name of roles) roleIds.push((await requireRole(services.store, account, name)).id);
  const policy = await policyOfNewUser(services, account, null, roleIds);
  return digestNewPassword(services, account, user, policy, password);
}

async function digestChangedPassword(
  services: UserServices,
  account: Account,
  userId: number,
  changes: UserChanges,
): Promise<string | undefined> {
  if (changes.password === undefined) return undefined;
  const user = await services.store.users.find(account.id, userId);
  if (!user) throw unknownUser();
  const policy = await effectivePolicy(services, account, user, null);
  return digestNewPassword(services, account, { ...user, ...changes }, policy, changes.password);
}

/** What a new status changes of a user. */
export function withStatus(user: Pick<UserRecord, 'activatedAt' | 'status'>, status: UserStatus, now: Milliseconds) {
  // Also at its end: what was on its way when it began was made before that.
  const suspended = [user.status, status].includes(settableStatuses.suspended) && { signedOutAt: now };
  if (status !== settableStatuses.active) return { status, ...suspended };
  return { status, ...suspended, activatedAt: user.activatedAt ?? now, invalidLoginAttempts: 0, lockedUntil: null };
}

function readOptional(name: string, text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : readText(name, text);
}

function unknownUser(email?: string): Failure {
  const message = email === undefined ? 'there is no such user' : `there is no user ${email}`;
  return new Failure('not_found', { name: 'user', message });
}
