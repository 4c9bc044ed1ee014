import type { Services } from '../../services.ts';
import type { Milliseconds, RoleRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { type EndingVerb, endUnassigned } from '../endings/end-app.ts';
import { Failure } from '../failure.ts';
import { readText } from '../text.ts';

/** Makes a role. Throws `conflict` when the account has one of this name, `value_invalid` for a bad name. */
export async function createRole(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  name: string,
): Promise<RoleRecord> {
  const role = { accountId: account.id, name: readText('name', name), createdAt: services.clock.now() };
  return services.store.transaction(async (tx) => {
    const created = await tx.roles.create(role);
    const target = { type: 'role', id: created.id } as const;
    await recordEvent(tx, services, account, { action: 'role.created', target, detail: { fields: ['name'] } });
    return created;
  });
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
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  roleId: number,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await tx.roles.addUser(account.id, roleId, userId, services.clock.now());
    const target = { type: 'user', id: userId } as const;
    await recordEvent(tx, services, account, { action: 'role.assigned', target, detail: { role_id: roleId } });
  });
}

/** Takes a role from a user, and ends the grants of apps that only the role had given. Idempotent. */
export async function removeUserFromRole(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  roleId: number,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.roles.removeUser(account.id, roleId, userId))) return;
    const revoked = await endUnassigned(tx, account, { userId }, services.clock.now());
    await recordEvent(tx, services, account, {
      action: 'role.withdrawn',
      target: { type: 'user', id: userId },
      detail: { role_id: roleId, grants_revoked: revoked },
    });
  });
}

/**
 * Gives a user exactly the roles named, and ends the grants of apps that only a former role had given; part of a
 * transaction, which tells of it. Answers how many grants ended. Throws `not_found` for an unknown role.
 */
export async function replaceRoles(
  tx: Pick<StoreVerbs, 'roles' | EndingVerb>,
  account: Pick<Account, 'id'>,
  userId: number,
  names: readonly string[],
  now: Milliseconds,
): Promise<number> {
  const wanted = new Set<number>();
  for (const name of names) wanted.add((await requireRole(tx, account, name)).id);
  return keepRoles(tx, account, userId, wanted, now);
}

/** The same with ids. Throws `value_invalid` with name `role_ids` for an unknown one. */
export async function replaceRoleIds(
  tx: Pick<StoreVerbs, 'roles' | EndingVerb>,
  account: Pick<Account, 'id'>,
  userId: number,
  ids: readonly number[],
  now: Milliseconds,
): Promise<number> {
  for (const id of ids) {
    if (await tx.roles.find(account.id, id)) continue;
    throw new Failure('value_invalid', { name: 'role_ids', message: `role_ids names no role with ${id}` });
  }
  return keepRoles(tx, account, userId, new Set(ids), now);
}

async function keepRoles(
  tx: Pick<StoreVerbs, 'roles' | EndingVerb>,
  account: Pick<Account, 'id'>,
  userId: number,
  wanted: ReadonlySet<number>,
  now: Milliseconds,
): Promise<number> {
  const surplus = (await tx.roles.ofUser(account.id, userId)).filter(({ id }) => !wanted.has(id));
  for (const roleId of wanted) await tx.roles.addUser(account.id, roleId, userId, now);
  for (const { id } of surplus) await tx.roles.removeUser(account.id, id, userId);
  return surplus.length > 0 ? endUnassigned(tx, account, { userId }, now) : 0;
}
