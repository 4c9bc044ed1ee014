/** Roles as a list, and their links to apps, users and administrators. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { RoleRecord, RoleStore } from '../roles.ts';
import { chunks } from './chunks.ts';
import { dialectOf } from './dialect.ts';
import { listPage } from './list.ts';
import { conditionOf, type Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { present, refersToPresent } from './removed.ts';
import * as rows from './rows.ts';
import { addRoleLinks, ascending, links, removeLinks } from './write-role-links.ts';

/** Characters of links that are parsed without a turn for others: a role may have any number. */
const mostParsed = 2 ** 18;

const roleRows = { named: 'roles', id: 'id', kind: 'role' } as const;

const listing: Listing<RoleRecord> = {
  table: 'roles',
  id: 'id',
  removable: 'role',
  columns: { id: filled('number', 'id'), name: filled('text', 'name') },
  linked: { app: [{ table: 'app_roles', column: 'role_id', by: 'app_id' }] },
  within: {
    app_name: (db, accountId, filter) => {
      const [condition, bindings] = conditionOf(db, filled('text', 'c.name'), filter);
      return [
        `select ar.role_id from clients c join app_roles ar on ar.account_id = c.account_id and ar.app_id = c.app_id
          where c.account_id = ? and ${condition} and ${present('app', 'c', 'app_id')}`,
        [accountId, ...bindings],
      ];
    },
  },
  read: rows.roles.read,
};

type LinkVerb =
  | 'page'
  | 'namesOf'
  | 'linked'
  | 'linkedAt'
  | 'link'
  | 'assign'
  | 'move'
  | 'unlink'
  | 'withdraw'
  | 'findUnknown';

export function roleLinkVerbs(db: Knex): Pick<RoleStore, LinkVerb> {
  return {
    page: (accountId, query) => listPage(db, listing, accountId, query),
    namesOf: async (accountId, ids) => {
      const names = new Map<number, string>();
      for await (const some of chunks(ids)) {
        const found: { id: number; name: string }[] = await db('roles')
          .where('account_id', accountId)
          .whereIn('id', some)
          .whereRaw(present('role', 'roles'))
          .select('id', 'name');
        for (const { id, name } of found) names.set(id, name);
      }
      return names;
    },
    linked: async (accountId, link, roleIds) => {
      const { table, column } = links[link];
      const ids = new Map<number, number[]>(roleIds.map((roleId) => [roleId, []]));
      // One row for each role, since creating a row object for each member would be slow.
      const list = dialectOf(db).listOf(column);
      for await (const some of chunks(roleIds)) {
        const found: { role_id: number; linked: string }[] = await db(table)
          .where('account_id', accountId)
          .whereIn('role_id', some)
          .whereRaw(refersToPresent(table, column))
          .groupBy('role_id')
          .select('role_id', { linked: db.raw(list) });
        let length = 0;
        for (const { role_id: roleId, linked } of found) {
          ids.set(roleId, JSON.parse(linked));
          length += linked.length;
          if (length <= mostParsed) continue;
          await nextTurn();
          length = 0;
        }
      }
      return ids;
    },
    linkedAt: async (accountId, link, roleId, userIds) => {
      const times = new Map<number, number>();
      for await (const some of chunks(userIds)) {
        const found: { user_id: number; assigned_at: number }[] = await db(links[link].table)
          .where({ account_id: accountId, role_id: roleId })
          .whereIn('user_id', some)
          .select('user_id', 'assigned_at');
        for (const row of found) times.set(row.user_id, row.assigned_at);
      }
      return times;
    },
    link: async (accountId, link, roleId, ids, at) => {
      const { column } = links[link];
      const linked: number[] = [];
      for await (const some of chunks(ids.toSorted(ascending))) {
        const added = await addRoleLinks(db, accountId, link, [roleId], some, at);
        linked.push(...added.map((row) => Number(row[column])));
      }
      return linked.toSorted(ascending);
    },
    assign: async (accountId, userId, roleIds, at) => {
      const assigned: number[] = [];
      for await (const some of chunks(roleIds.toSorted(ascending))) {
        const added = await addRoleLinks(db, accountId, 'users', some, [userId], at);
        assigned.push(...added.map((row) => Number(row['role_id'])));
      }
      return assigned.toSorted(ascending);
    },
    move: async (accountId, roleId, userId, at) => {
      const link = db('role_users').where({ account_id: accountId, role_id: roleId, user_id: userId });
      await link.update({ assigned_at: at });
    },
    unlink: (accountId, link, roleId, ids) => {
      const { table, column } = links[link];
      return removeLinks(db, table, { account_id: accountId, role_id: roleId }, column, ids);
    },
    withdraw: (accountId, userId, roleIds) =>
      removeLinks(db, 'role_users', { account_id: accountId, user_id: userId }, 'role_id', roleIds),
    findUnknown: async (accountId, what, ids) => {
      const { named, id, kind } = what === 'roles' ? roleRows : links[what];
      for await (const some of chunks(ids)) {
        const found = await db(named)
          .where('account_id', accountId)
          .whereIn(id, some)
          .whereRaw(present(kind, named, id))
          .select(id);
        const known = new Set(found.map((row) => Number(row[id])));
        const unknown = some.find((one) => !known.has(one));
        if (unknown !== undefined) return unknown;
      }
      return null;
    },
  };
}
