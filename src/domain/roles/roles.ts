import type { Services } from '../../services.ts';
import type { Milliseconds, RoleRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { readText } from '../text.ts';

/** Makes a role. Throws `conflict` when the account has one of this name, `value_invalid` for a bad name. */
export function createRole(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  name: string,
): Promise<RoleRecord> {
  const createdAt = services.clock.now();
  return services.store.roles.create({ accountId: account.id, name: readText('name', name), createdAt });
}

/** The role of this name; throws `not_found`. */
export async function requireRole(
  store: Pick<StoreVerbs, 'roles'>,
  account: Pick<Account, 'id'>,
  name: string,
): Promise<RoleRecord> {
  const role = await store.roles.findByName(account.id, name.normalize('NFC'));
  if (!role) throw new Failure('not_found', { name: 'role', message: `there is no role ${name}` });
  return role;
}

/** Gives a user a role, and with it the apps of the role. Idempotent. */
export async function addUserToRole(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  roleId: number,
  userId: number,
): Promise<void> {
  await services.store.roles.addUser(account.id, roleId, userId, services.clock.now());
}

/** Takes a role from a user, and ends the grants of apps that only the role had given. Idempotent. */
export async function removeUserFromRole(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  roleId: number,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await tx.roles.removeUser(account.id, roleId, userId);
    await tx.grants.revokeUnassigned(account.id, null, services.clock.now());
  });
}

/**
 * Gives a user exactly the roles named, and ends the grants of apps that only a former role had given; part of a
 * transaction. Throws `not_found` for an unknown role.
 */
export async function replaceRoles(
  tx: Pick<StoreVerbs, 'roles' | 'grants'>,
  account: Pick<Account, 'id'>,
  userId: number,
  names: readonly string[],
  now: Milliseconds,
): Promise<void> {
  const wanted = new Set<number>();
  for (const name of names) wanted.add((await requireRole(tx, account, name)).id);
  await keepRoles(tx, account, userId, wanted, now);
}

/** The same with ids. Throws `value_invalid` with name `role_ids` for an unknown one. */
export async function replaceRoleIds(
  tx: Pick<StoreVerbs, 'roles' | 'grants'>,
  account: Pick<Account, 'id'>,
  userId: number,
  ids: readonly number[],
  now: Milliseconds,
): Promise<void> {
  for (const id of ids) {
    if (await tx.roles.find(account.id, id)) continue;
    throw new Failure('value_invalid', { name: 'role_ids', message: `role_ids names no role with ${id}` });
  }
  await keepRoles(tx, account, userId, new Set(ids), now);
}

async function keepRoles(
  tx: Pick<StoreVerbs, 'roles' | 'grants'>,
  account: Pick<Account, 'id'>,
  userId: number,
  wanted: ReadonlySet<number>,
  now: Milliseconds,
): Promise<void> {
  const surplus = (await tx.roles.ofUser(account.id, userId)).filter(({ id }) => !wanted.has(id));
  for (const roleId of wanted) await tx.roles.addUser(account.id, roleId, userId, now);
  for (const { id } of surplus) await tx.roles.removeUser(account.id, id, userId);
  if (surplus.length > 0) await tx.grants.revokeUnassigned(account.id, null, now);
}
