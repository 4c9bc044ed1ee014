/** Users as a list: every column has an index (0003_management). */

import type { DetailedUser } from '../users.ts';
import { dialectOf } from './dialect.ts';
import type { Links } from './links.ts';
import { conditionOf, type Listing } from './list-filters.ts';
import { filled, type ListColumn, number, text } from './list-index.ts';
import { present } from './removed.ts';
import * as rows from './rows.ts';
import { isSearched } from './searched-texts.ts';
import type { DbRow } from './shape.ts';
import { countUsers } from './user-counts.ts';

export function readDetailed(row: DbRow): DetailedUser {
  return { ...rows.users.read(row), ...rows.userDetails.read(row) };
}

/** The displayed name: first and last name with a space between, as far as they exist. */
const wholeName = filled('text', "trim(coalesce(firstname, '') || ' ' || coalesce(lastname, ''))");

function linkedBy(table: 'role_users' | 'role_admins'): Links {
  return { table, column: 'user_id', by: 'role_id' };
}

const columns: Readonly<Record<string, ListColumn>> = {
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
};

export const userListing: Listing<DetailedUser> = {
  table: 'users',
  id: 'id',
  removable: 'user',
  countAll: countUsers,
  columns,
  linked: {
    role: [linkedBy('role_users')],
    administered_role: [linkedBy('role_admins')],
    app: [
      { table: 'app_users', column: 'user_id', by: 'app_id' },
      { ...linkedBy('role_users'), through: { table: 'app_roles', by: 'app_id' } },
    ],
  },
  search: (db, filter) => {
    const column = columns[filter.field]?.column;
    return column && isSearched(column) ? (dialectOf(db).userSearch?.partsAsked(column, filter) ?? []) : [];
  },
  unlinked: { other_role: linkedBy('role_users'), other_administered_role: linkedBy('role_admins') },
  within: {
    person: (db, accountId, { field, test, values: [typed = '', folded = ''] }) => {
      const names = [text('firstname'), text('lastname'), wholeName];
      const conditions = [
        ...names.map((column) => conditionOf(db, column, { field, test, values: [typed] })),
        ...['email_key', 'username_key'].map((key) => conditionOf(db, text(key), { field, test, values: [folded] })),
      ];
      return [
        `select id from users where account_id = ? and ${present('user', 'users')} and (${conditions.map(([sql]) => `(${sql})`).join(' or ')})`,
        [accountId, ...conditions.flatMap(([, bindings]) => bindings)],
      ];
    },
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
