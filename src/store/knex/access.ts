import type { Knex } from 'knex';
import type { AccessStore, Assignee } from '../access.ts';
import { assigned } from './assigned.ts';
import { chunks } from './chunks.ts';
import { dialectOf } from './dialect.ts';
import { fixedRead, readRow } from './fixed-reads.ts';
import { holdLinks, holdPresent } from './hold.ts';
import { lostBefore } from './link-age.ts';
import { endLost } from './removals.ts';
import { refersToPresent } from './removed.ts';
import type { Cell } from './shape.ts';
import { separately } from './transact.ts';
import { addRoleLinks, ascending, removeLinks } from './write-role-links.ts';

const findAssigned = fixedRead(
  'assigned',
  `with wanted as (
    select cast(? as integer) as account_id, cast(? as integer) as app_id, cast(? as integer) as user_id
  ) select account_id from wanted where ${assigned('wanted')}`,
);

function link(accountId: number, appId: number, assignee: Assignee): readonly [string, Record<string, Cell>] {
  const app = { account_id: accountId, app_id: appId };
  return 'userId' in assignee
    ? ['app_users', { ...app, user_id: assignee.userId }]
    : ['app_roles', { ...app, role_id: assignee.roleId }];
}

export function accessVerbs(db: Knex): AccessStore {
  const isAssigned: AccessStore['isAssigned'] = async (accountId, appId, userId) => {
    if (db.isTransaction && !(await dialectOf(db).holdAccess(db, { accountId, appId, userId }))) return false;
    // A removal that this waited for is only visible to another statement.
    return (await readRow(db, findAssigned, accountId, appId, userId)) !== undefined;
  };
  return {
    grant: async (accountId, appId, assignee, at) => {
      if (!('userId' in assignee)) {
        return (await addRoleLinks(db, accountId, 'apps', [assignee.roleId], [appId], at)).length === 1;
      }
      const { userId } = assignee;
      return separately(db, async (tx) => {
        const [table, key] = link(accountId, appId, assignee);
        await holdPresent(tx, accountId, 'app', [appId]);
        await holdPresent(tx, accountId, 'user', [userId]);
        await holdLinks(tx, tx(table).where(key), 'app_id');
        const lostOf = await lostBefore(tx, accountId, { appId }, [userId]);
        const added = await tx(table)
          .insert({ ...key, assigned_at: at, after_removal: lostOf(userId, appId) })
          .onConflict(Object.keys(key))
          .ignore()
          .returning('app_id');
        return added.length === 1;
      });
    },
    grantRoles: async (accountId, appId, roleIds, at) => {
      for await (const some of chunks(roleIds.toSorted(ascending))) {
        await addRoleLinks(db, accountId, 'apps', some, [appId], at);
      }
    },
    revokeRoles: async (accountId, appId, roleIds) => {
      await removeLinks(db, 'app_roles', { account_id: accountId, app_id: appId }, 'role_id', roleIds);
    },
    revoke: async (accountId, appId, assignee) => {
      const [table, key] = link(accountId, appId, assignee);
      return (await db(table).where(key).delete()) === 1;
    },
    rolesOf: async (accountId, appIds) => {
      const found: { app_id: number; role_id: number }[] = await db('app_roles')
        .where('account_id', accountId)
        .whereIn('app_id', appIds)
        .whereRaw(refersToPresent('app_roles', 'role_id'))
        .orderBy(['app_id', 'role_id'])
        .select('app_id', 'role_id');
      const roleIds = new Map<number, number[]>(appIds.map((appId) => [appId, []]));
      for (const { app_id: appId, role_id: roleId } of found) roleIds.get(appId)?.push(roleId);
      return roleIds;
    },
    isAssigned,
    endLost: (accountId, appIds, at) => endLost(db, accountId, appIds, at),
  };
}
