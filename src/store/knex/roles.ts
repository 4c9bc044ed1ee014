import type { Knex } from 'knex';
import type { RoleStore } from '../roles.ts';
import { fixedRead, readRows } from './fixed-reads.ts';
import { lockPresent } from './hold.ts';
import { removeObject } from './removals.ts';
import { present, refersToPresent } from './removed.ts';
import { roleLinkVerbs } from './role-links.ts';
import * as rows from './rows.ts';
import { separately } from './transact.ts';

/** Of one user: part of each answer about a user. */
const idsOfUser = fixedRead(
  'roles-of-user',
  `select role_id from role_users where account_id = ? and user_id = ? and ${refersToPresent('role_users', 'role_id')}
    order by assigned_at, role_id`,
);

export function roleVerbs(db: Knex): RoleStore {
  const one = (accountId: number, id: number) =>
    db('roles').where({ account_id: accountId, id }).whereRaw(present('role', 'roles'));
  return {
    ...roleLinkVerbs(db),
    create: (role) =>
      separately(db, async (tx) => {
        const [row] = await tx('roles').insert(rows.roles.write(role)).returning('*');
        return rows.roles.read(row);
      }),
    find: async (accountId, id) => {
      const row = await one(accountId, id).first();
      return row ? rows.roles.read(row) : null;
    },
    lock: (accountId, id) => lockPresent(db, accountId, 'role', id),
    findByName: async (accountId, name) => {
      const row = await db('roles').where({ account_id: accountId, name }).whereRaw(present('role', 'roles')).first();
      return row ? rows.roles.read(row) : null;
    },
    ofUser: async (accountId, userId) => {
      const found = await db('role_users as ru')
        .join('roles as r', { 'r.account_id': 'ru.account_id', 'r.id': 'ru.role_id' })
        .where({ 'ru.account_id': accountId, 'ru.user_id': userId })
        .whereRaw(present('role', 'r'))
        .orderBy(['ru.assigned_at', 'r.id'])
        .select('r.*');
      return found.map(rows.roles.read);
    },
    idsOfUsers: async (accountId, userIds) => {
      const [userId = 0] = userIds;
      if (userIds.length === 1) {
        const found = await readRows(db, idsOfUser, accountId, userId);
        return new Map([[userId, found.map((row) => Number(row['role_id']))]]);
      }
      const found: { user_id: number; role_id: number }[] = await db('role_users')
        .where('account_id', accountId)
        .whereIn('user_id', userIds)
        .whereRaw(refersToPresent('role_users', 'role_id'))
        .orderBy(['user_id', 'assigned_at', 'role_id'])
        .select('user_id', 'role_id');
      const roleIds = new Map<number, number[]>(userIds.map((userId) => [userId, []]));
      for (const { user_id: userId, role_id: roleId } of found) roleIds.get(userId)?.push(roleId);
      return roleIds;
    },
    rename: (accountId, id, name) =>
      separately(db, async (tx) => {
        const [changed] = await tx('roles')
          .where({ account_id: accountId, id })
          .whereRaw(present('role', 'roles'))
          .update({ name })
          .returning('*');
        return changed ? rows.roles.read(changed) : null;
      }),
    remove: (accountId, id, at) => removeObject(db, 'role', accountId, id, at),
  };
}
