/** What every statement that reads users, apps, roles or custom attributes, or links to them, says of removals. */

/** What keeps its row until nothing hangs on it any more. */
export type Removable = 'user' | 'app' | 'role' | 'attribute';

/** The table of each, and its key there beside the account. */
export const homes: Readonly<Record<Removable, { readonly table: string; readonly id: string }>> = {
  user: { table: 'users', id: 'id' },
  app: { table: 'clients', id: 'app_id' },
  role: { table: 'roles', id: 'id' },
  attribute: { table: 'custom_attributes', id: 'id' },
};

/** How columns of other tables name it. */
const kinds = { user_id: 'user', app_id: 'app', role_id: 'role', attribute_id: 'attribute' } as const;

export type Reference = keyof typeof kinds;

/** SQL that is true unless what a column of a row names is removed. `row` is an alias or table name. */
export function present(kind: Removable, row: string, column = 'id'): string {
  return `not exists (select 1 from removals gone where gone.account_id = ${row}.account_id and gone.kind = '${kind}'
    and gone.object_id = ${row}.${column})`;
}

/** The same of a column that says by its name what it refers to. */
export function refersToPresent(row: string, column: Reference): string {
  return present(kinds[column], row, column);
}

/**
 * The same of a column of many rows, for one account, its only binding: what is removed is found once for the
 * statement.
 */
export function amongPresent(kind: Removable, column: string): string {
  return `${column} not in (select object_id from removals where account_id = ? and kind = '${kind}')`;
}

/**
 * The same of a column that says by its name what it refers to. Rows are read in the order of their index still, which
 * PostgreSQL would give up to join them with what is removed.
 */
export function refersAmongPresent(column: Reference): string {
  return amongPresent(kinds[column], column);
}
