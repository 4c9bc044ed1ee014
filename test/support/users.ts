/** Users and roles as tests make them: as an operator would, with roles by their names and a status by its word. */

import type { Account } from '../../src/domain/accounts/account.ts';
import { day } from '../../src/domain/durations.ts';
import { requireRoleIds } from '../../src/domain/roles/full-role.ts';
import type { FullUser } from '../../src/domain/users/full-user.ts';
import type { UserInput } from '../../src/domain/users/user-input.ts';
import { type SettableStatus, settableStatuses } from '../../src/domain/users/user-status.ts';
import { createUser, updateUser } from '../../src/domain/users/write-user.ts';
import type { Services } from '../../src/services.ts';

type UserServices = Pick<Services, 'store' | 'clock' | 'passwords' | 'vault'>;

interface Given extends Omit<Partial<UserInput>, 'status' | 'roleIds'> {
  readonly status?: SettableStatus;
  readonly roles?: readonly string[];
}

async function inputOf({ store }: UserServices, account: Account, { status, roles, ...members }: Given) {
  return {
    validatePolicy: true,
    authority: 'all',
    ...members,
    ...(status && { status: settableStatuses[status] }),
    ...(roles && { roleIds: await requireRoleIds(store, account, roles) }),
  } as const satisfies UserInput;
}

export async function addUser(services: UserServices, account: Account, given: Given): Promise<FullUser> {
  return createUser(services, account, await inputOf(services, account, given));
}

export async function setUser(
  services: UserServices,
  account: Account,
  userId: number,
  given: Given,
): Promise<FullUser> {
  return updateUser(services, account, userId, await inputOf(services, account, given));
}

/** A user who signed in just now. */
export async function noteSignIn(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  userId: number,
): Promise<void> {
  // Later than an address that was written in this millisecond.
  await store.users.update(account.id, userId, { lastLogin: clock.now() + 1 });
}

/** A user whose address is known to be theirs (src/domain/means/note-change.ts). */
export async function proveAddress(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  userId: number,
): Promise<void> {
  await services.store.users.update(account.id, userId, { emailWrittenAt: services.clock.now() - day });
  await noteSignIn(services, account, userId);
}
