/** Users as a list: every column has its index (0003_management). */

import type { DetailedUser } from '../records.ts';
import { conditionOf, type Listing } from './list.ts';
import { filled, number, text } from './list-index.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';

export function readDetailed(row: DbRow): DetailedUser {
  return { ...rows.users.read(row), ...rows.userDetails.read(row) };
}

function places(values: readonly unknown[]): string {
  return values.map(() => 'cast(? as bigint)').join(', ');
}

export const userListing: Listing<DetailedUser> = {
  table: 'users',
  id: 'id',
  columns: {
    id: filled('number', 'id'),
    email: text('email_key'),
    username: text('username_key'),
    firstname: text('firstname'),
    lastname: text('lastname'),
    title: text('title'),
    department: text('department'),
    company: text('company'),
    phone: text('phone'),
    external_id: text('external_id'),
    group_id: number('group_id'),
    manager_user_id: number('manager_user_id'),
    policy_id: number('policy_id'),
    status: number('status'),
    state: filled('number', 'state'),
    created_at: filled('number', 'created_at'),
    updated_at: filled('number', 'updated_at'),
    last_login: number('last_login'),
  },
  within: {
    role: (_db, accountId, { values }) => [
      `select user_id from role_users where account_id = ? and role_id in (${places(values)})`,
      [accountId, ...values],
    ],
    app: (_db, accountId, { values }) => [
      `select user_id from app_users where account_id = ? and app_id in (${places(values)}) union
        select ru.user_id from app_roles ar join role_users ru on ru.account_id = ar.account_id and ru.role_id = ar.role_id
        where ar.account_id = ? and ar.app_id in (${places(values)})`,
      [accountId, ...values, accountId, ...values],
    ],
    custom_attribute: (db, accountId, filter) => {
      const [condition, bindings] = conditionOf(db, filled('text', 'value'), filter);
      return [
        `select user_id from user_attributes where account_id = ? and attribute_id = ? and ${condition}`,
        [accountId, filter.of ?? 0, ...bindings],
      ];
    },
  },
  read: readDetailed,
};
