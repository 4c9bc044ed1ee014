import type { Services } from '../../services.ts';
import type { Assignee, StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { requireRole } from '../roles/roles.ts';
import { requireUser } from './users.ts';

/** Who gets or loses an app: a user by e-mail address, or everyone with a role by its name. */
export type AssigneeName = { readonly user: string } | { readonly role: string };

/** Assigns an app. Idempotent. Throws `not_found` for an unknown app, user or role. */
export async function grantAccess(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  appId: number,
  name: AssigneeName,
): Promise<void> {
  const now = services.clock.now();
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    await tx.access.grant(account.id, appId, await findAssignee(tx, account, name), now);
  });
}

/**
 * Takes an app away and, in the same transaction, ends the grants of users who have it no other way.
 * Throws `not_found` for an unknown app, user or role and when the app was not assigned.
 */
export async function revokeAccess(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  appId: number,
  name: AssigneeName,
): Promise<void> {
  const now = services.clock.now();
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    const revoked = await tx.access.revoke(account.id, appId, await findAssignee(tx, account, name));
    if (!revoked) throw new Failure('not_found', { name: 'access', message: `app ${appId} is not assigned so` });
    await tx.grants.revokeUnassigned(account.id, appId, now);
  });
}

async function requireApp(tx: StoreVerbs, account: Pick<Account, 'id'>, appId: number): Promise<void> {
  const client = await tx.clients.findByApp(account.id, appId);
  if (!client) throw new Failure('not_found', { name: 'app', message: `there is no app ${appId}` });
}

async function findAssignee(tx: StoreVerbs, account: Pick<Account, 'id'>, name: AssigneeName): Promise<Assignee> {
  if ('user' in name) return { userId: (await requireUser(tx, account, name.user)).id };
  return { roleId: (await requireRole(tx, account, name.role)).id };
}
