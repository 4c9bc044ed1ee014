/** Assigns apps and takes them away. The apps of a role are also set with the role, or with the app. */

import type { Services } from '../../services.ts';
import type { Assignee } from '../../store/access.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endUnassigned } from '../endings/end-app.ts';
import { Failure } from '../failure.ts';
import { requireRole } from '../roles/full-role.ts';
import { requireKnown } from '../roles/links.ts';
import { requireNamedUser } from './users.ts';

/** Who gets or loses an app: a user, by e-mail address or user name, or everyone with a role, by its name. */
export type AssigneeName = { readonly user: string } | { readonly role: string };

type AccessServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** Assigns an app. Idempotent. Throws `not_found` for an unknown app, user or role. */
export async function grantAccess(
  services: AccessServices,
  account: Audited,
  appId: number,
  name: AssigneeName,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    await assign(services, tx, account, appId, [await findAssignee(tx, account, name)]);
  });
}

/** The same for these users. Throws `not_found` for an unknown app, and `value_invalid` for an unknown user. */
export async function grantAccessToUsers(
  services: AccessServices,
  account: Audited,
  appId: number,
  userIds: readonly number[],
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    await requireKnown(tx, account, 'users', userIds);
    await assign(services, tx, account, appId, assigneesOf(userIds));
  });
}

/**
 * Withdraws an app and, in the same transaction, ends the grants of users who have no other access to it. Throws
 * `not_found` for an unknown app, user or role and when the app was not assigned.
 */
export async function revokeAccess(
  services: AccessServices,
  account: Audited,
  appId: number,
  name: AssigneeName,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    if (!(await withdraw(services, tx, account, appId, [await findAssignee(tx, account, name)])))
      throw new Failure('not_found', { name: 'access', message: `there is no such assignment of app ${appId}` });
  });
}

/** The same for those of these users to whom the app is assigned. Throws `not_found` for an unknown app. */
export async function revokeAccessOfUsers(
  services: AccessServices,
  account: Audited,
  appId: number,
  userIds: readonly number[],
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    await withdraw(services, tx, account, appId, assigneesOf(userIds));
  });
}

/** Records an event for each assignee who did not have the app. */
async function assign(
  services: AccessServices,
  tx: StoreVerbs,
  account: Audited,
  appId: number,
  assignees: readonly Assignee[],
): Promise<void> {
  const now = services.clock.now();
  const target = { type: 'app', id: appId } as const;
  for (const assignee of assignees) {
    if (!(await tx.access.grant(account.id, appId, assignee, now))) continue;
    await recordEvent(tx, services, account, { action: 'access.granted', target, detail: detailOf(assignee) });
  }
}

/** Records an event for each assignee who had the app. False when none had it. */
async function withdraw(
  services: AccessServices,
  tx: StoreVerbs,
  account: Audited,
  appId: number,
  assignees: readonly Assignee[],
): Promise<boolean> {
  const now = services.clock.now();
  const target = { type: 'app', id: appId } as const;
  let found = false;
  for (const assignee of assignees) {
    if (!(await tx.access.revoke(account.id, appId, assignee))) continue;
    found = true;
    const detail = { ...detailOf(assignee), grants_revoked: await endLost(tx, account, appId, assignee, now) };
    await recordEvent(tx, services, account, { action: 'access.revoked', target, detail });
  }
  return found;
}

function endLost(
  tx: StoreVerbs,
  account: Audited,
  appId: number,
  assignee: Assignee,
  now: Milliseconds,
): Promise<number> {
  return endUnassigned(tx, account, 'userId' in assignee ? { userIds: [assignee.userId] } : { appIds: [appId] }, now);
}

async function requireApp(tx: StoreVerbs, account: Pick<Account, 'id'>, appId: number): Promise<void> {
  const client = await tx.clients.findByApp(account.id, appId);
  if (!client) throw new Failure('not_found', { name: 'app', message: `there is no app ${appId}` });
}

async function findAssignee(tx: StoreVerbs, account: Pick<Account, 'id'>, name: AssigneeName): Promise<Assignee> {
  if ('user' in name) return { userId: (await requireNamedUser(tx, account, name.user)).id };
  return { roleId: (await requireRole(tx, account, name.role)).id };
}

/** In one order for everyone, so that two calls do not wait for each other's users. */
function assigneesOf(userIds: readonly number[]): Assignee[] {
  return [...new Set(userIds)].toSorted((one, other) => one - other).map((userId) => ({ userId }));
}

function detailOf(assignee: Assignee): { readonly user_id: number } | { readonly role_id: number } {
  return 'userId' in assignee ? { user_id: assignee.userId } : { role_id: assignee.roleId };
}
