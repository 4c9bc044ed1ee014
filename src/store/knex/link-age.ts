/** The value of `after_removal` for a new link: it does not bring back grants that were lost before it. */

import type { Knex } from 'knex';
import { linked } from './assigned.ts';
import { dialectOf } from './dialect.ts';
import { present, refersToPresent } from './removed.ts';

/** SQL for the newest pending removal: what a link gives to any number of users is new for all of them. */
export function newestRemoval(db: Knex, accountId: number): Knex.Raw {
  return db.raw('(select max(id) from removals where account_id = ?)', [accountId]);
}

/** Which apps links give: one, or those of roles. */
export type Given = { readonly appId: number } | { readonly roleIds: readonly number[] };

/**
 * The newest pending removal in which each of these users lost an app that a link gives, by user and by the app or role
 * of the link. None for users who have the apps through older links: they lost nothing.
 */
export async function lostBefore(
  db: Knex,
  accountId: number,
  given: Given,
  userIds: readonly number[],
): Promise<(userId: number, givenId: number) => number | null> {
  const [table, column, ids] =
    'appId' in given ? ['clients', 'app_id', [given.appId]] : ['app_roles', 'role_id', given.roleIds];
  const links = ids.map(() => '?').join(', ');
  const users = userIds.map(() => '?').join(', ');
  const isLost = (user: string) => `not ${linked({ account: '?', app: 'given.app_id', user }, 'lost')}`;
  // Starts from the pending removals, which are few: SQLite keeps the order of cross joins.
  const sql = `select u.id as user_id, given.${column} as given_id, max(lost.id) as after_removal
      from removals lost cross join ${table} given cross join users u
      where lost.account_id = ? and lost.kind = 'access' and given.account_id = lost.account_id
        and given.app_id = lost.object_id and given.${column} in (${links})
        and u.account_id = lost.account_id and u.id in (${users}) and ${present('user', 'u')}
        and ${refersToPresent('given', 'app_id')} and ${isLost('u.id')}
      group by u.id, given.${column}
    union all
      select lu.user_id, given.${column} as given_id, max(lost.id) as after_removal
      from removals lost cross join role_users lu cross join app_roles la cross join ${table} given
      where lost.account_id = ? and lost.kind = 'role'
        and lu.account_id = lost.account_id and lu.role_id = lost.object_id and lu.user_id in (${users})
        and la.account_id = lost.account_id and la.role_id = lost.object_id
        and given.account_id = lost.account_id and given.app_id = la.app_id and given.${column} in (${links})
        and ${refersToPresent('given', 'app_id')} and ${isLost('lu.user_id')}
      group by lu.user_id, given.${column}`;
  const ofLost = [accountId, accountId];
  const answer = await db.raw(sql, [
    ...[accountId, ...ids, ...userIds, ...ofLost],
    ...[accountId, ...userIds, ...ids, ...ofLost],
  ]);
  const newest = new Map<string, number>();
  for (const row of dialectOf(db).rowsOf(answer)) {
    const key = `${row['user_id']} ${row['given_id']}`;
    newest.set(key, Math.max(newest.get(key) ?? 0, Number(row['after_removal'])));
  }
  return (userId, givenId) => newest.get(`${userId} ${givenId}`) ?? null;
}
