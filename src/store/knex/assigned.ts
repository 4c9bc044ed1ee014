/**
 * Who may use an app, in SQL. Rows are named by an alias or table with the columns account_id, app_id and a user's
 * column.
 */

import type { Knex } from 'knex';
import type { AccessLoss } from '../access.ts';
import { refersToPresent } from './removed.ts';

/** The columns that name the user and the grant. */
interface Columns {
  readonly user?: string;
  readonly grant?: string;
}

/** Columns that name an account, an app of it and a user of it. */
interface Use {
  readonly account: string;
  readonly app: string;
  readonly user: string;
}

/** Links made before a pending removal, which is a row with this alias. */
function madeBefore(removal: string, links: readonly string[]): string {
  return links.map((link) => ` and (${link}.after_removal is null or ${link}.after_removal < ${removal}.id)`).join('');
}

/**
 * Whether the app is assigned directly or through a role; if a removal is named, only by links that existed before it.
 */
export function linked(use: Use, removal?: string): string {
  const before = (...links: string[]) => (removal === undefined ? '' : madeBefore(removal, links));
  return linkedBy(use, before('au'), ` and ${refersToPresent('ru', 'role_id')}${before('ru', 'ar')}`);
}

/** `direct` and `byRole`: further conditions on the links. */
function linkedBy({ account, app, user }: Use, direct: string, byRole: string): string {
  return `(exists (select 1 from app_users au
      where au.account_id = ${account} and au.app_id = ${app} and au.user_id = ${user}${direct})
    or exists (select 1 from role_users ru join app_roles ar on ar.account_id = ru.account_id and ar.role_id = ru.role_id
      where ru.account_id = ${account} and ru.user_id = ${user} and ar.app_id = ${app}${byRole}))`;
}

function useOf(row: string, user: string): Use {
  return { account: `${row}.account_id`, app: `${row}.app_id`, user: `${row}.${user}` };
}

/** SQL that is true when the user of a row may use its app. */
export function assigned(row: string, user = 'user_id'): string {
  return `(${refersToPresent(row, 'app_id')} and ${linked(useOf(row, user))})`;
}

/**
 * SQL that is true for a grant whose user lost the access that it depends on, and which is still to be revoked. Later
 * assignments only count for later grants.
 */
export function lost(row: string, { user = 'user_id', grant = 'id' }: Columns = {}): string {
  const older = `lost.account_id = ${row}.account_id and lost.last_grant_id >= ${row}.${grant}`;
  return `(exists (select 1 from removals lost
      where ${older} and lost.kind = 'access' and lost.object_id = ${row}.app_id and not ${linked(useOf(row, user), 'lost')})
    or exists (select 1 from removals lost
      join role_users lu on lu.account_id = lost.account_id and lu.role_id = lost.object_id
      join app_roles la on la.account_id = lost.account_id and la.role_id = lost.object_id
      where ${older} and lost.kind = 'role' and lu.user_id = ${row}.${user} and la.app_id = ${row}.app_id
        and not ${linked(useOf(row, user), 'lost')}))`;
}

/** SQL that is true when a grant still has the access that it depends on. */
export function stillAssigned(row: string, columns: Columns = {}): string {
  return `(${assigned(row, columns.user)} and not ${lost(row, columns)})`;
}

/** The same for accounts without pending removals. */
export function linkedAtAll(row: string): string {
  return linkedBy(useOf(row, 'user_id'), '', '');
}

/** Restricts rows to those of users who may have lost access. */
export function concern(rows: Knex.QueryBuilder, loss: AccessLoss, user = 'user_id'): Knex.QueryBuilder {
  return 'userIds' in loss ? rows.whereIn(user, loss.userIds) : rows.where('app_id', loss.appId);
}
