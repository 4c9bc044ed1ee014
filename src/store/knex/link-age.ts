/** The value of `after_removal` for a new link: it does not bring back grants that were lost before it. */

import type { Knex } from 'knex';
import { linked } from './assigned.ts';
import { dialectOf } from './dialect.ts';
import { present, refersToPresent } from './removed.ts';

/** SQL for the newest pending removal: what a link gives to any number of users is new for all of them. */
export function newestRemoval(db: Knex, accountId: number): Knex.Raw {
  return db.raw('(select max(id) from removals where account_id = ?)', [accountId]);
}

/** Which apps a link gives: one, or those of a role. */
export type Given = { readonly appId: number } | { readonly roleId: number };

/**
 * The newest pending removal in which each of these users lost an app that the link gives. None for users who have the
 * apps through older links: they lost nothing.
 */
export async function lostBefore(
  db: Knex,
  accountId: number,
  given: Given,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const [table, column, id] =
    'appId' in given ? ['clients', 'app_id', given.appId] : ['app_roles', 'role_id', given.roleId];
  const users = userIds.map(() => '?').join(', ');
  const isLost = (user: string) => `not ${linked({ account: '?', app: 'given.app_id', user }, 'lost')}`;
  // Starts from the pending removals, which are few: SQLite keeps the order of cross joins.
  const sql = `select u.id as user_id, max(lost.id) as after_removal
      from removals lost cross join ${table} given cross join users u
      where lost.account_id = ? and lost.kind = 'access' and given.account_id = lost.account_id
        and given.app_id = lost.object_id and given.${column} = ?
        and u.account_id = lost.account_id and u.id in (${users}) and ${present('user', 'u')}
        and ${refersToPresent('given', 'app_id')} and ${isLost('u.id')}
      group by u.id
    union all
      select lu.user_id, max(lost.id) as after_removal
      from removals lost cross join role_users lu cross join app_roles la cross join ${table} given
      where lost.account_id = ? and lost.kind = 'role'
        and lu.account_id = lost.account_id and lu.role_id = lost.object_id and lu.user_id in (${users})
        and la.account_id = lost.account_id and la.role_id = lost.object_id
        and given.account_id = lost.account_id and given.app_id = la.app_id and given.${column} = ?
        and ${refersToPresent('given', 'app_id')} and ${isLost('lu.user_id')}
      group by lu.user_id`;
  const ofLost = [accountId, accountId];
  const answer = await db.raw(sql, [accountId, id, ...userIds, ...ofLost, accountId, ...userIds, id, ...ofLost]);
  const newest = new Map<number, number>();
  for (const row of dialectOf(db).rowsOf(answer)) {
    const userId = Number(row['user_id']);
    newest.set(userId, Math.max(newest.get(userId) ?? 0, Number(row['after_removal'])));
  }
  return newest;
}
