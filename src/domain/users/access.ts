import type { Services } from '../../services.ts';
import type { Assignee } from '../../store/access.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endUnassigned } from '../endings/end-app.ts';
import { Failure } from '../failure.ts';
import { requireRole } from '../roles/full-role.ts';
import { requireUser } from './users.ts';

/** Who gets or loses an app: a user, by e-mail address, or everyone with a role, by its name. */
export type AssigneeName = { readonly user: string } | { readonly role: string };

/** Assigns an app. Idempotent. Throws `not_found` for an unknown app, user or role. */
export async function grantAccess(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  appId: number,
  name: AssigneeName,
): Promise<void> {
  const now = services.clock.now();
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    const assignee = await findAssignee(tx, account, name);
    await tx.access.grant(account.id, appId, assignee, now);
    const target = { type: 'app', id: appId } as const;
    await recordEvent(tx, services, account, { action: 'access.granted', target, detail: detailOf(assignee) });
  });
}

/**
 * Withdraws an app and, in the same transaction, ends the grants of users who have no other access to it. Throws
 * `not_found` for an unknown app, user or role and when the app was not assigned.
 */
export async function revokeAccess(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  appId: number,
  name: AssigneeName,
): Promise<void> {
  const now = services.clock.now();
  await services.store.transaction(async (tx) => {
    await requireApp(tx, account, appId);
    const assignee = await findAssignee(tx, account, name);
    const revoked = await tx.access.revoke(account.id, appId, assignee);
    if (!revoked)
      throw new Failure('not_found', { name: 'access', message: `there is no such assignment of app ${appId}` });
    const ended = await endUnassigned(
      tx,
      account,
      'userId' in assignee ? { userIds: [assignee.userId] } : { appIds: [appId] },
      now,
    );
    await recordEvent(tx, services, account, {
      action: 'access.revoked',
      target: { type: 'app', id: appId },
      detail: { ...detailOf(assignee), grants_revoked: ended },
    });
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

function detailOf(assignee: Assignee): { readonly user_id: number } | { readonly role_id: number } {
  return 'userId' in assignee ? { user_id: assignee.userId } : { role_id: assignee.roleId };
}
