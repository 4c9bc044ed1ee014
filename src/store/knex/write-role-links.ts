/** Writes of the links of roles to apps, users and administrators. */

import type { Knex } from 'knex';
import type { RoleLink } from '../roles.ts';
import { chunks } from './chunks.ts';
import { dialectOf } from './dialect.ts';
import { holdLinks, holdPresent } from './hold.ts';
import { lostBefore, newestRemoval } from './link-age.ts';
import type { DbRow } from './shape.ts';
import { separately } from './transact.ts';

/** The tables of the links, and of what they reference. */
export const links = {
  apps: { table: 'app_roles', column: 'app_id', named: 'clients', id: 'app_id', kind: 'app' },
  users: { table: 'role_users', column: 'user_id', named: 'users', id: 'id', kind: 'user' },
  admins: { table: 'role_admins', column: 'user_id', named: 'users', id: 'id', kind: 'user' },
} as const satisfies Record<RoleLink, object>;

export function ascending(one: number, other: number): number {
  return one - other;
}

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
export function addRoleLinks(
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
export async function removeLinks(
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
