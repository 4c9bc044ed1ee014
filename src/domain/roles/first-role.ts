import type { Milliseconds } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { type EndingVerb, endUnassigned } from '../endings/end-app.ts';
import { Failure } from '../failure.ts';

type Verbs = Pick<StoreVerbs, 'roles' | EndingVerb>;

/**
 * Puts a role in the place of the one that was assigned to the user first; null takes that one away. The user's other
 * roles stay. Part of a transaction, which tells of it. Ends the grants of apps that only the former role had given, and
 * answers how many. Throws `value_invalid` with name `role_id` for an unknown role.
 */
export async function replaceFirstRole(
  tx: Verbs,
  account: Pick<Account, 'id'>,
  userId: number,
  roleId: number | null,
  now: Milliseconds,
): Promise<number> {
  if (roleId !== null && !(await tx.roles.find(account.id, roleId))) {
    throw new Failure('value_invalid', { name: 'role_id', message: `role_id names no role with ${roleId}` });
  }
  const [first, second] = (await tx.roles.idsOfUsers(account.id, [userId])).get(userId) ?? [];
  if (first === undefined || first === roleId) {
    if (first === undefined && roleId !== null) await tx.roles.addUser(account.id, roleId, userId, now);
    return 0;
  }
  if (roleId !== null) {
    const at = await placeBefore(tx, account, userId, first, second, now);
    await tx.roles.removeUser(account.id, roleId, userId);
    await tx.roles.addUser(account.id, roleId, userId, at);
  }
  await tx.roles.removeUser(account.id, first, userId);
  return endUnassigned(tx, account, { userId }, now);
}

/** When the new role is taken to have been assigned, so that it is the first: with the former one, and before the second. */
async function placeBefore(
  tx: Verbs,
  account: Pick<Account, 'id'>,
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
