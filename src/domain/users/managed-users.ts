/** Users as the management API makes and changes them. */

import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { requireFollowed } from '../policies/policies.ts';
import { replaceFirstRole } from '../roles/first-role.ts';
import { replaceRoleIds } from '../roles/roles.ts';
import { type FullUser, readFullUser } from './full-user.ts';
import { changedNames, readNames } from './names.ts';
import { endSignIns, withPassword } from './set-password.ts';
import { cleared, readPassword, readProfile, requireManager, setAttributes, type UserInput } from './user-input.ts';
import { withStatus } from './users.ts';

type UserServices = Pick<Services, 'store' | 'clock' | 'passwords' | 'vault'>;

/**
 * Makes a user: active with a password, else unactivated, unless a status is given. Throws `value_invalid` for what
 * breaks a rule or names what is not there, `conflict` (name `email` or `username`) when another user has the name.
 */
export async function createManagedUser(services: UserServices, account: Account, input: UserInput): Promise<FullUser> {
  const names = readNames(cleared(input.email) ?? null, cleared(input.username) ?? null);
  const profile = readProfile(input);
  const passwordDigest = (await readPassword(services, account, null, input)) ?? null;
  const now = services.clock.now();
  const status = input.status ?? (passwordDigest === null ? 0 : 1);
  return services.store.transaction(async (tx) => {
    await requireManager(tx, account, profile);
    await requireFollowed(tx, account, profile);
    const { id } = await tx.users.create({
      accountId: account.id,
      firstname: null,
      lastname: null,
      ...names,
      ...profile,
      status,
      passwordDigest,
      invalidLoginAttempts: 0,
      lockedUntil: null,
      lastLogin: null,
      passwordChangedAt: passwordDigest === null ? null : now,
      activatedAt: status === 1 ? now : null,
      createdAt: now,
      updatedAt: now,
    });
    await complete(tx, account, id, input, now);
    const target = { type: 'user', id } as const;
    await recordEvent(tx, services, account, {
      action: 'user.created',
      target,
      detail: { fields: setFields({ ...input, validatePolicy: undefined }) },
    });
    return readFullUser(tx, account, id);
  });
}

/**
 * Changes the members given. A new password ends the user's sessions and grants and activates one who waited for it.
 * Throws as `createManagedUser` does, and `not_found` when there is no such user.
 */
export async function updateManagedUser(
  services: UserServices,
  account: Account,
  userId: number,
  input: UserInput,
): Promise<FullUser> {
  const profile = readProfile(input);
  const former = await services.store.users.find(account.id, userId);
  if (!former) throw unknownUser();
  const passwordDigest = await readPassword(services, account, former, input);
  const now = services.clock.now();
  return services.store.transaction(async (tx) => {
    const user = await tx.users.find(account.id, userId);
    if (!user) throw unknownUser();
    await requireManager(tx, account, profile);
    await requireFollowed(tx, account, profile);
    const [email, username] = [cleared(input.email), cleared(input.username)];
    await tx.users.update(account.id, userId, {
      ...changedNames(user, { ...(email !== undefined && { email }), ...(username !== undefined && { username }) }),
      ...profile,
      ...(passwordDigest !== undefined && withPassword(user, passwordDigest, now)),
      ...(input.status !== undefined && input.status !== user.status && withStatus(user, input.status, now)),
      updatedAt: now,
    });
    let ended = passwordDigest === undefined ? 0 : await endSignIns(tx, account, userId, now);
    ended += await complete(tx, account, userId, input, now);
    const target = { type: 'user', id: userId } as const;
    const detail = { fields: setFields({ ...input, validatePolicy: undefined }), grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'user.changed', target, detail });
    return readFullUser(tx, account, userId);
  });
}

/** Ends a lock by the API and a pause after wrong passwords or codes. Throws `not_found`. */
export async function unlockUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const user = await tx.users.find(account.id, userId);
    if (!user) throw unknownUser();
    const now = services.clock.now();
    const open = { invalidLoginAttempts: 0, lockedUntil: null, updatedAt: now };
    await tx.users.update(account.id, userId, user.status === 3 ? { ...open, ...withStatus(user, 1, now) } : open);
    await tx.secondFactors.clearAttempts(account.id, userId);
    const target = { type: 'user', id: userId } as const;
    await recordEvent(tx, services, account, { action: 'user.unlocked', target, detail: {} });
  });
}

/** What stands in other tables; answers how many grants ended. */
async function complete(
  tx: StoreVerbs,
  account: Account,
  userId: number,
  { roleIds, roleId, customAttributes }: UserInput,
  now: number,
): Promise<number> {
  await setAttributes(tx, account, userId, customAttributes);
  let ended = roleIds === undefined ? 0 : await replaceRoleIds(tx, account, userId, roleIds ?? [], now);
  if (roleId !== undefined) ended += await replaceFirstRole(tx, account, userId, roleId || null, now);
  return ended;
}

function unknownUser(): Failure {
  return new Failure('not_found', { name: 'user', message: 'there is no such user' });
}
