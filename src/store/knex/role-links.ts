/** Roles as a list, and their links to apps, users and administrators. */

import type { Knex } from 'knex';
import type { RoleLink, RoleRecord, RoleStore } from '../roles.ts';
import { chunks } from './chunks.ts';
import { dialectOf } from './dialect.ts';
import { holdLinks, holdPresent } from './hold.ts';
import { lostBefore, newestRemoval } from './link-age.ts';
import { listPage } from './list.ts';
import { conditionOf, type Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { present, refersToPresent } from './removed.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';
import { separately } from './transact.ts';

/** The tables of the links, and of what they reference. */
const links = {
  apps: { table: 'app_roles', column: 'app_id', named: 'clients', id: 'app_id', kind: 'app' },
  users: { table: 'role_users', column: 'user_id', named: 'users', id: 'id', kind: 'user' },
  admins: { table: 'role_admins', column: 'user_id', named: 'users', id: 'id', kind: 'user' },
} as const satisfies Record<RoleLink, object>;

const roleRows = { named: 'roles', id: 'id', kind: 'role' } as const;

function ascending(one: number, other: number): number {
  return one - other;
}

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

type Age = { readonly after_removal?: Knex.Raw | number | null };

/** `after_removal` for new links, by what they reference and by role. Administrators have nothing to lose. */
async function agesOf(
  db: Knex,
  accountId: number,
  link: RoleLink,
  roleIds: readonly number[],
  ids: readonly number[],
): Promise<(id: number, roleId: number) => Age> {
  if (link === 'admins') return () => ({});
  if (link === 'apps') return () => ({ after_removal: newestRemoval(db, accountId) });
  const lostOf = await lostBefore(db, accountId, { roleIds }, ids);
  return (userId, roleId) => ({ after_removal: lostOf(userId, roleId) });
}

/** Links each of the roles to each of the ids, a few hundred pairs at most; answers the pairs that were not linked. */
function add(
  db: Knex,
  accountId: number,
  link: RoleLink,
  roleIds: readonly number[],
  ids: readonly number[],
  at: number,
): Promise<DbRow[]> {
  const { table, column, kind } = links[link];
  return separately(db, async (tx) => {
    await holdPresent(tx, accountId, 'role', roleIds);
    await holdPresent(tx, accountId, kind, ids);
    const existing = tx(table).where('account_id', accountId).whereIn('role_id', roleIds).whereIn(column, ids);
    await holdLinks(tx, existing, column, 'role_id');
    const ageOf = await agesOf(tx, accountId, link, roleIds, ids);
    const pairs = roleIds.flatMap((roleId) => ids.map((id) => ({ roleId, id })));
    return tx(table)
      .insert(
        pairs.map(({ roleId, id }) => {
          const key = { account_id: accountId, role_id: roleId, [column]: id };
          return { ...key, assigned_at: at, ...ageOf(id, roleId) };
        }),
      )
      .onConflict(['account_id', column, 'role_id'])
      .ignore()
      .returning([column, 'role_id']);
  });
}

/** Removes those links whose column has one of the ids; answers the ids that were there, ascending. */
async function remove(
  db: Knex,
  table: string,
  of: Readonly<Record<string, number>>,
  column: string,
  ids: readonly number[],
): Promise<readonly number[]> {
  const removed: number[] = [];
  const fixed = Object.keys(of).map((name) => `${name} = ? and `);
  for await (const some of chunks(ids)) {
    const wanted = some.map(() => '?').join(', ');
    // As raw SQL: Knex has no `returning` for deletions on SQLite.
    const sql = `delete from ${table} where ${fixed.join('')}${column} in (${wanted}) returning ${column}`;
    const answer = await db.raw(sql, [...Object.values(of), ...some]);
    removed.push(
      ...dialectOf(db)
        .rowsOf(answer)
        .map((row) => Number(row[column])),
    );
  }
  return removed.toSorted(ascending);
}

type LinkVerb = 'page' | 'linked' | 'linkedAt' | 'link' | 'assign' | 'move' | 'unlink' | 'withdraw' | 'findUnknown';

export function roleLinkVerbs(db: Knex): Pick<RoleStore, LinkVerb> {
  return {
    page: (accountId, query) => listPage(db, listing, accountId, query),
    linked: async (accountId, link, roleIds) => {
      const { table, column } = links[link];
      const ids = new Map<number, number[]>(roleIds.map((roleId) => [roleId, []]));
      // One row for each role, since creating a row object for each member would be slow.
      const list = dialectOf(db).listOf(column);
      for await (const some of chunks(roleIds)) {
        const found: { role_id: number; linked: string | number[] }[] = await db(table)
          .where('account_id', accountId)
          .whereIn('role_id', some)
          .whereRaw(refersToPresent(table, column))
          .groupBy('role_id')
          .select('role_id', { linked: db.raw(list) });
        for (const { role_id: roleId, linked } of found) {
          ids.set(roleId, typeof linked === 'string' ? JSON.parse(linked) : linked);
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
        const added = await add(db, accountId, link, [roleId], some, at);
        linked.push(...added.map((row) => Number(row[column])));
      }
      return linked.toSorted(ascending);
    },
    assign: async (accountId, userId, roleIds, at) => {
      const assigned: number[] = [];
      for await (const some of chunks(roleIds.toSorted(ascending))) {
        const added = await add(db, accountId, 'users', some, [userId], at);
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
      return remove(db, table, { account_id: accountId, role_id: roleId }, column, ids);
    },
    withdraw: (accountId, userId, roleIds) =>
      remove(db, 'role_users', { account_id: accountId, user_id: userId }, 'role_id', roleIds),
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
