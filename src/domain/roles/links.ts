/** The links of roles. Every gain or loss of a role is recorded here, whatever causes it. */

import type { Services } from '../../services.ts';
import type { RoleLink } from '../../store/roles.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import { type Allowance, createAllowance } from '../allowance.ts';
import { currentAuditContext } from '../audit/context.ts';
import { type AuditedAccount, type AuditServices, recordEvent } from '../audit/record.ts';
import { hour } from '../durations.ts';
import { Failure } from '../failure.ts';
import { perKey } from '../per-key.ts';

export type LinkVerb = 'roles' | 'events';

/**
 * Roles that callers give in an account in an hour with each process: each is an event, which stays for ever on
 * everybody's disk, and one call may name 10,000 users. Taking them is bounded by that, and must always be possible.
 */
const mostInHour = 1_000_000;
/** By vault, of which a process has one. */
const told = perKey<Services['vault'], Allowance>(() => createAllowance(hour));

/**
 * Links a role to apps, users or administrators; existing links stay. Part of a transaction. Throws `value_invalid`
 * with the name of the link for an unknown id, and `rate_limited`.
 */
export async function addLinks(
  services: AuditServices,
  tx: Pick<StoreVerbs, LinkVerb>,
  account: AuditedAccount,
  roleId: number,
  link: RoleLink,
  ids: readonly number[],
  now: Milliseconds,
): Promise<void> {
  const wanted = [...new Set(ids)];
  await requireKnown(tx, account, link, wanted);
  const added = await tx.roles.link(account.id, link, roleId, wanted, now);
  if (link === 'users') await tell(services, tx, account, 'role.assigned', [roleId], added);
}

/** Gives a user roles that are known; those that the user has stay. Part of a transaction. */
export async function assignRoles(
  services: AuditServices,
  tx: Pick<StoreVerbs, LinkVerb>,
  account: AuditedAccount,
  userId: number,
  roleIds: readonly number[],
  now: Milliseconds,
): Promise<void> {
  const added = await tx.roles.assign(account.id, userId, [...new Set(roleIds)], now);
  await tell(services, tx, account, 'role.assigned', added, [userId]);
}

/** Takes roles from a user. Part of a transaction, which must end what was lost with them. */
export async function withdrawRoles(
  services: AuditServices,
  tx: Pick<StoreVerbs, LinkVerb>,
  account: AuditedAccount,
  userId: number,
  roleIds: readonly number[],
): Promise<void> {
  const removed = await tx.roles.withdraw(account.id, userId, roleIds);
  await tell(services, tx, account, 'role.withdrawn', removed, [userId]);
}

/** The words for one of them, and the member that names them. */
const named = {
  apps: ['app', 'apps'],
  users: ['user', 'users'],
  admins: ['user', 'admins'],
  roles: ['role', 'role_ids'],
} as const satisfies Record<RoleLink | 'roles', readonly [what: string, member: string]>;

/** Throws `value_invalid` with the name of the member for the first id that no app, user or role has. */
export async function requireKnown(
  tx: Pick<StoreVerbs, 'roles'>,
  { id: accountId }: Pick<AuditedAccount, 'id'>,
  kind: RoleLink | 'roles',
  ids: readonly number[],
): Promise<void> {
  const unknown = await tx.roles.findUnknown(accountId, kind, ids);
  if (unknown === null) return;
  const [what, name] = named[kind];
  throw new Failure('value_invalid', { name, message: `unknown ${what} in ${name}: ${unknown}` });
}

/** Removes links and returns those that existed. Part of a transaction, which must end what was lost with them. */
export async function removeLinks(
  services: AuditServices,
  tx: Pick<StoreVerbs, LinkVerb>,
  account: AuditedAccount,
  roleId: number,
  link: RoleLink,
  ids: readonly number[],
): Promise<readonly number[]> {
  const removed = await tx.roles.unlink(account.id, link, roleId, [...new Set(ids)]);
  if (link === 'users') await tell(services, tx, account, 'role.withdrawn', [roleId], removed);
  return removed;
}

/** Changes the time since which a user has a role, and with it the role's place among the user's roles. */
export async function moveRole(
  tx: Pick<StoreVerbs, 'roles'>,
  { id: accountId }: AuditedAccount,
  roleId: number,
  userId: number,
  at: Milliseconds,
): Promise<void> {
  // Updated in place: a new link would not count for grants of an app that is being withdrawn from others.
  await tx.roles.move(accountId, roleId, userId, at);
}

async function tell(
  services: AuditServices,
  tx: Pick<StoreVerbs, 'events'>,
  account: AuditedAccount,
  action: 'role.assigned' | 'role.withdrawn',
  roleIds: readonly number[],
  userIds: readonly number[],
): Promise<void> {
  const events = userIds.length * roleIds.length;
  // What is undone, such as a trial of an import, uses nothing up.
  if (action === 'role.assigned' && events > 0) {
    await tx.events.beforeCommit(async () => requireRoom(services, account, events));
  }
  for (const id of userIds) {
    for (const roleId of roleIds) {
      await recordEvent(tx, services, account, { action, target: { type: 'user', id }, detail: { role_id: roleId } });
    }
  }
}

/** Operators, and users who sign in, are not bounded. Throws `rate_limited`. */
function requireRoom({ clock, vault }: AuditServices, { id }: AuditedAccount, events: number): void {
  const { actor } = currentAuditContext();
  if (actor?.type !== 'user' && actor?.type !== 'credential' && actor?.type !== 'API') return;
  const now = clock.now();
  if (told(vault).take(id, events, mostInHour, now)) return;
  const retryAfterSeconds = Math.ceil((hour - (now % hour)) / 1000);
  throw new Failure('rate_limited', { retryAfterSeconds, reason: 'too many users got roles in this hour' });
}
