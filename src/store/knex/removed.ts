/**
 * The conditions about removals for every statement that reads users, apps, roles, custom attributes or APIs, or links
 * to them.
 */

import type { RemovalKind } from '../removals.ts';
import type { Sql } from './links.ts';

/** Objects whose row stays until no other rows depend on it. */
export type Removable = 'user' | 'app' | 'role' | 'attribute' | 'api';

/** The table of each kind, and its key without the account. */
export const homes: Readonly<Record<Removable, { readonly table: string; readonly id: string }>> = {
  user: { table: 'users', id: 'id' },
  app: { table: 'clients', id: 'app_id' },
  role: { table: 'roles', id: 'id' },
  attribute: { table: 'custom_attributes', id: 'id' },
  api: { table: 'authorization_servers', id: 'id' },
};

export function isRemovable(kind: RemovalKind): kind is Removable {
  return kind in homes;
}

/** The columns by which other tables reference it. */
const kinds = {
  user_id: 'user',
  app_id: 'app',
  role_id: 'role',
  attribute_id: 'attribute',
  server_id: 'api',
} as const;

export type Reference = keyof typeof kinds;

/** SQL that is true unless the object that a column references is removed. `row` is an alias or table name. */
export function present(kind: Removable, row: string, column = 'id'): string {
  return `not exists (select 1 from removals gone where gone.account_id = ${row}.account_id and gone.kind = '${kind}'
    and gone.object_id = ${row}.${column})`;
}

/** The same for a column whose name says what it references. */
export function refersToPresent(row: string, column: Reference): string {
  return present(kinds[column], row, column);
}

function selectRemoved(kind: Removable, selected: string): string {
  return `select ${selected} from removals where account_id = ? and kind = '${kind}'`;
}

/** SQL that is true if an account has removed objects of a kind, with its bindings. */
export function anyRemoved(kind: Removable, accountId: number): Sql {
  return [`exists (${selectRemoved(kind, '1')})`, [accountId]];
}

/**
 * The same as `present` for a column of many rows of one account, with its bindings. The removed objects are read once
 * per statement, and rows are compared with them only if there are any: it would double the time of a count.
 */
export function amongPresent(kind: Removable, column: string, accountId: number): Sql {
  const [removed, bindings] = anyRemoved(kind, accountId);
  return [`(not ${removed} or ${column} not in (${selectRemoved(kind, 'object_id')}))`, [...bindings, accountId]];
}

/**
 * The same for a column whose name says what it references. Rows are still read in index order, which PostgreSQL would
 * give up to join them with the removed objects.
 */
export function refersAmongPresent(column: Reference, accountId: number): Sql {
  return amongPresent(kinds[column], column, accountId);
}
