/** The only way in which others than the user themselves create and change users. */

import type { Services } from '../../services.ts';
import type { Store, StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { requireOtherAdministrator, requireOwnStanding } from '../administrators/administrators.ts';
import { recordEvent } from '../audit/record.ts';
import { endByChange } from '../endings/end-by-change.ts';
import { findStatusFailure } from '../login/standing.ts';
import { type Authority, requireAdministratorAuthority, requireFactorAuthority } from '../means/authority.ts';
import { changeUser } from '../means/change-user.ts';
import { requireFollowed } from '../policies/policies.ts';
import { replaceFirstRole, replaceRoles } from '../roles/roles-of-user.ts';
import { addUsers, readNewUser } from './add-users.ts';
import { type FullUser, readFullUser } from './full-user.ts';
import { changedNames } from './names.ts';
import { withPassword } from './set-password.ts';
import {
  cleared,
  fieldsOf,
  readPassword,
  readProfile,
  requireManager,
  setAttributes,
  type UserInput,
} from './user-input.ts';
import { withStatus } from './user-status.ts';
import { unknownUser } from './users.ts';

/** Of the store only what can be had within a transaction too: an import writes many users in one. */
export type UserServices = Pick<Services, 'clock' | 'passwords' | 'vault'> & {
  readonly store: StoreVerbs & Pick<Store, 'transaction'>;
};

/** Creates a user, as `addUsers` does. Throws `value_invalid` for an invalid value too. */
export async function createUser(services: UserServices, account: Account, input: UserInput): Promise<FullUser> {
  const user = await readNewUser(services, account, input);
  return services.store.transaction(async (tx) => {
    const [id = Number.NaN] = await addUsers(services, tx, account, [user]);
    return readFullUser(tx, account, id);
  });
}

/**
 * Changes the given members. A new password ends the user's sessions and grants and activates an unactivated user.
 * Suspending ends sessions, and grants become dormant. Locking keeps both, but refuses their use while it lasts. The
 * server process notifies clients of ended sessions. Throws as `createUser` does, `not_found` when there is no such
 * user, `last_administrator`, and `scope_insufficient` for changes that `manage_users` may not make to a user who has a
 * second factor.
 */
export async function updateUser(
  services: UserServices,
  account: Account,
  userId: number,
  input: UserInput,
): Promise<FullUser> {
  const profile = readProfile(input);
  const former = await services.store.users.find(account.id, userId);
  if (!former) throw unknownUser();
  const passwordDigest = await readPassword(services, account, former, input);
  return services.store.transaction(async (tx) => {
    const user = await tx.users.lock(account.id, userId);
    if (!user) throw unknownUser();
    requireOwnStanding(user);
    await requireAdministratorAuthority(tx, account, userId, input.authority);
    if (input.status !== undefined && findStatusFailure({ status: input.status })) {
      await requireOtherAdministrator(tx, account, userId);
    }
    // Read after locking: what was opened while this waited is older than a suspension or a new password.
    const now = services.clock.now();
    if (await loosens(tx, account, user, input, profile.policyId)) {
      await requireFactorAuthority(tx, account, user, input.authority);
    }
    await requireManager(tx, account, profile);
    await requireFollowed(tx, account, profile);
    const [email, username] = [cleared(input.email), cleared(input.username)];
    const names = changedNames(user, {
      ...(email !== undefined && { email }),
      ...(username !== undefined && { username }),
    });
    const { email: address = user.email } = names;
    const changes = {
      ...names,
      ...(input.emailVerified !== undefined && { verifiedEmail: input.emailVerified ? address : null }),
      ...profile,
      ...(passwordDigest !== undefined && withPassword(user, passwordDigest, now)),
      ...(input.status !== undefined && input.status !== user.status && withStatus(user, input.status, now)),
      updatedAt: now,
    };
    const changed = (await changeUser(services, tx, account, user, changes, input.authority)) ?? user;
    const grantsRevoked = await endByChange(services, tx, account, user, changed, passwordDigest);
    const ended = grantsRevoked + (await complete(services, tx, account, userId, input, now));
    const target = { type: 'user', id: userId } as const;
    const detail = { fields: fieldsOf(input), grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'user.changed', target, detail });
    return readFullUser(tx, account, userId);
  });
}

/** Whether a change leaves status 2 or 3, or puts another policy in force for the user. */
async function loosens(
  tx: Pick<StoreVerbs, 'users'>,
  account: Account,
  { id, status }: UserRecord,
  input: UserInput,
  policyId: number | null | undefined,
): Promise<boolean> {
  const isHeld = status === userStatuses.suspended || status === userStatuses.locked;
  if (isHeld && input.status !== undefined && input.status !== status) return true;
  return policyId !== undefined && policyId !== (await tx.users.findDetailed(account.id, id))?.policyId;
}

/**
 * Ends a lock set by the API and the pause after wrong passwords. The pause after wrong codes ends too if the caller
 * may set passwords; otherwise codes could be guessed without end. Throws `not_found`, and `scope_insufficient` as
 * `updateUser` does.
 */
export async function unlockUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  userId: number,
  authority: Authority,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const user = await tx.users.lock(account.id, userId);
    if (!user) throw unknownUser();
    requireOwnStanding(user);
    await requireAdministratorAuthority(tx, account, userId, authority);
    if (user.status === userStatuses.locked) await requireFactorAuthority(tx, account, user, authority);
    const now = services.clock.now();
    const open = { invalidLoginAttempts: 0, lockedUntil: null, updatedAt: now };
    const changes =
      user.status === userStatuses.locked ? { ...open, ...withStatus(user, userStatuses.active, now) } : open;
    await changeUser(services, tx, account, user, changes, authority);
    if (authority === 'all') await tx.secondFactors.clearAttempts(account.id, userId);
    const target = { type: 'user', id: userId } as const;
    await recordEvent(tx, services, account, { action: 'user.unlocked', target, detail: {} });
  });
}

/** Writes what is in other tables; returns how many grants ended. */
async function complete(
  services: UserServices,
  tx: StoreVerbs,
  account: Account,
  userId: number,
  { roleIds, roleId, customAttributes }: UserInput,
  now: number,
): Promise<number> {
  await setAttributes(tx, account, new Map([[userId, customAttributes]]));
  let ended = roleIds === undefined ? 0 : await replaceRoles(services, tx, account, userId, roleIds ?? [], now);
  if (roleId !== undefined) ended += await replaceFirstRole(services, tx, account, userId, roleId || null, now);
  return ended;
}
