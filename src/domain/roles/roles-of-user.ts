/** The roles of one user: replacing all of them, or one. */

import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { AuditedAccount, AuditServices } from '../audit/record.ts';
import { type EndingVerb, endUnassigned } from '../endings/end-app.ts';
import { Failure } from '../failure.ts';
import { addLinks, assignRoles, type LinkVerb, moveRole, removeLinks, requireKnown, withdrawRoles } from './links.ts';

type Verbs = Pick<StoreVerbs, LinkVerb | EndingVerb>;

/**
 * Gives users roles beside those that they have; part of a transaction. Throws `value_invalid` with name `role_ids` for
 * an unknown role.
 */
export async function giveRoles(
  services: AuditServices,
  tx: Pick<StoreVerbs, LinkVerb>,
  account: AuditedAccount,
  given: ReadonlyMap<number, readonly number[]>,
  now: Milliseconds,
): Promise<void> {
  const userIds = new Map<number, number[]>();
  for (const [userId, roleIds] of given) {
    for (const roleId of roleIds) {
      const ids = userIds.get(roleId) ?? [];
      ids.push(userId);
      userIds.set(roleId, ids);
    }
  }
  await requireKnown(tx, account, 'roles', [...userIds.keys()]);
  // As few statements as there are users, or roles.
  if (given.size < userIds.size) {
    for (const [userId, roleIds] of given) await assignRoles(services, tx, account, userId, roleIds, now);
    return;
  }
  for (const [roleId, ids] of userIds) await addLinks(services, tx, account, roleId, 'users', ids, now);
}

/**
 * Gives a user exactly these roles, and ends the grants for apps that only a former role gave; part of a transaction.
 * Returns how many grants ended. Throws `value_invalid` with name `role_ids` for an unknown role.
 */
export async function replaceRoles(
  services: AuditServices,
  tx: Verbs,
  account: AuditedAccount,
  userId: number,
  roleIds: readonly number[],
  now: Milliseconds,
): Promise<number> {
  const [wanted, held] = [new Set(roleIds), new Set(await rolesOf(tx, account, userId))];
  const lacking = [...wanted].filter((id) => !held.has(id));
  await giveRoles(services, tx, account, new Map([[userId, lacking]]), now);
  const surplus = [...held].filter((id) => !wanted.has(id));
  await withdrawRoles(services, tx, account, userId, surplus);
  return surplus.length > 0 ? endUnassigned(tx, account, { userIds: [userId] }, now) : 0;
}

/**
 * Replaces the role that was assigned to the user first; null removes it. The user's other roles stay. Part of a
 * transaction. Ends the grants for apps that only the former role gave, and returns how many. Throws `value_invalid`
 * with name `role_id` for an unknown role.
 */
export async function replaceFirstRole(
  services: AuditServices,
  tx: Verbs,
  account: AuditedAccount,
  userId: number,
  roleId: number | null,
  now: Milliseconds,
): Promise<number> {
  if (roleId !== null) await requireNamed(tx, account, roleId);
  const held = await rolesOf(tx, account, userId);
  const [first, second] = held;
  if (roleId === (first ?? null)) return 0;
  if (roleId !== null) {
    const at = first === undefined ? now : await placeBefore(tx, account, userId, first, second, now);
    if (held.includes(roleId)) await moveRole(tx, account, roleId, userId, at);
    else await addLinks(services, tx, account, roleId, 'users', [userId], at);
  }
  if (first === undefined) return 0;
  await removeLinks(services, tx, account, first, 'users', [userId]);
  return endUnassigned(tx, account, { userIds: [userId] }, now);
}

async function requireNamed(tx: Pick<StoreVerbs, 'roles'>, account: AuditedAccount, roleId: number): Promise<void> {
  if (await tx.roles.find(account.id, roleId)) return;
  throw new Failure('value_invalid', { name: 'role_id', message: `unknown role in role_id: ${roleId}` });
}

/** In order of assignment. */
async function rolesOf(tx: Pick<StoreVerbs, 'roles'>, account: AuditedAccount, userId: number) {
  return (await tx.roles.idsOfUsers(account.id, [userId])).get(userId) ?? [];
}

/** An assignment time that makes the new role the first: that of the former one, and before the second. */
async function placeBefore(
  tx: Pick<StoreVerbs, 'roles'>,
  account: AuditedAccount,
  userId: number,
  first: number,
  second: number | undefined,
  now: Milliseconds,
): Promise<Milliseconds> {
  const timeOf = async (roleId: number) =>
    (await tx.roles.linkedAt(account.id, 'users', roleId, [userId])).get(userId) ?? now;
  const at = await timeOf(first);
  return second !== undefined && (await timeOf(second)) === at ? at - 1 : at;
}
