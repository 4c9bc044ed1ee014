import type { Knex } from 'knex';
import type { AccessLoss, AccessStore, Assignee, RoleStore } from '../store.ts';
import { isPostgres } from './list-index.ts';
import { roleLinkVerbs } from './role-links.ts';
import * as rows from './rows.ts';
import type { Cell } from './shape.ts';
import { separately } from './transact.ts';

/**
 * SQL that is true when the user of `grant` may use its app, directly or through a role. `grant` is an alias or table
 * name with the columns account_id, app_id and `user` (`user_id` unless said).
 */
export function assigned(grant: string, user = 'user_id'): string {
  return `(exists (select 1 from app_users au
      where au.account_id = ${grant}.account_id and au.app_id = ${grant}.app_id and au.user_id = ${grant}.${user})
    or exists (select 1 from role_users ru join app_roles ar on ar.account_id = ru.account_id and ar.role_id = ru.role_id
      where ru.account_id = ${grant}.account_id and ru.user_id = ${grant}.${user} and ar.app_id = ${grant}.app_id))`;
}

/** Narrows rows to those of who may have lost an access. */
export function concern(rows: Knex.QueryBuilder, loss: AccessLoss, user = 'user_id'): Knex.QueryBuilder {
  return 'userIds' in loss ? rows.whereIn(user, loss.userIds) : rows.where('app_id', loss.appId);
}

/**
 * The same question, with the links that answer it locked against those who would take them away (PostgreSQL); before
 * them the client, as who removes it does.
 */
const heldAccess = `with direct as materialized (
    select 1 from clients c join app_users au on au.account_id = c.account_id and au.app_id = c.app_id
    where c.account_id = :accountId and c.app_id = :appId and au.user_id = :userId
    for key share of c for share of au
  ), by_role as materialized (
    select 1 from clients c join app_roles ar on ar.account_id = c.account_id and ar.app_id = c.app_id
      join role_users ru on ru.account_id = c.account_id and ru.role_id = ar.role_id
    where c.account_id = :accountId and c.app_id = :appId and ru.user_id = :userId
    for key share of c for share of ru for share of ar
  ) select exists (select 1 from direct) or exists (select 1 from by_role) as assigned`;

export function roleVerbs(db: Knex): RoleStore {
  return {
    ...roleLinkVerbs(db),
    create: (role) =>
      separately(db, async (tx) => {
        const [row] = await tx('roles').insert(rows.roles.write(role)).returning('*');
        return rows.roles.read(row);
      }),
    find: async (accountId, id) => {
      const row = await db('roles').where({ account_id: accountId, id }).first();
      return row ? rows.roles.read(row) : null;
    },
    findByName: async (accountId, name) => {
      const row = await db('roles').where({ account_id: accountId, name }).first();
      return row ? rows.roles.read(row) : null;
    },
    ofUser: async (accountId, userId) => {
      const found = await db('role_users as ru')
        .join('roles as r', { 'r.account_id': 'ru.account_id', 'r.id': 'ru.role_id' })
        .where({ 'ru.account_id': accountId, 'ru.user_id': userId })
        .orderBy(['ru.assigned_at', 'r.id'])
        .select('r.*');
      return found.map(rows.roles.read);
    },
    idsOfUsers: async (accountId, userIds) => {
      const found: { user_id: number; role_id: number }[] = await db('role_users')
        .where('account_id', accountId)
        .whereIn('user_id', userIds)
        .orderBy(['user_id', 'assigned_at', 'role_id'])
        .select('user_id', 'role_id');
      const roleIds = new Map<number, number[]>(userIds.map((userId) => [userId, []]));
      for (const { user_id: userId, role_id: roleId } of found) roleIds.get(userId)?.push(roleId);
      return roleIds;
    },
    rename: (accountId, id, name) =>
      separately(db, async (tx) => {
        const [changed] = await tx('roles').where({ account_id: accountId, id }).update({ name }).returning('*');
        return changed ? rows.roles.read(changed) : null;
      }),
    remove: async (accountId, id) => (await db('roles').where({ account_id: accountId, id }).delete()) === 1,
  };
}

function link(accountId: number, appId: number, assignee: Assignee): readonly [string, Record<string, Cell>] {
  const app = { account_id: accountId, app_id: appId };
  return 'userId' in assignee
    ? ['app_users', { ...app, user_id: assignee.userId }]
    : ['app_roles', { ...app, role_id: assignee.roleId }];
}

export function accessVerbs(db: Knex): AccessStore {
  const isAssigned: AccessStore['isAssigned'] = async (accountId, appId, userId) => {
    if (db.isTransaction && isPostgres(db)) {
      const { rows: found } = await db.raw(heldAccess, { accountId, appId, userId });
      return found[0]?.assigned === true;
    }
    const wanted = db.raw(
      'select cast(? as integer) as account_id, cast(? as integer) as app_id, cast(? as integer) as user_id',
      [accountId, appId, userId],
    );
    const found = await db.with('wanted', wanted).from('wanted').whereRaw(assigned('wanted')).first('account_id');
    return found !== undefined;
  };
  return {
    grant: (accountId, appId, assignee, at) =>
      separately(db, async (tx) => {
        const [table, key] = link(accountId, appId, assignee);
        await tx(table)
          .insert({ ...key, assigned_at: at })
          .onConflict(Object.keys(key))
          .ignore();
      }),
    revoke: async (accountId, appId, assignee) => {
      const [table, key] = link(accountId, appId, assignee);
      return (await db(table).where(key).delete()) === 1;
    },
    rolesOf: async (accountId, appIds) => {
      const found: { app_id: number; role_id: number }[] = await db('app_roles')
        .where('account_id', accountId)
        .whereIn('app_id', appIds)
        .orderBy(['app_id', 'role_id'])
        .select('app_id', 'role_id');
      const roleIds = new Map<number, number[]>(appIds.map((appId) => [appId, []]));
      for (const { app_id: appId, role_id: roleId } of found) roleIds.get(appId)?.push(roleId);
      return roleIds;
    },
    isAssigned,
  };
}
