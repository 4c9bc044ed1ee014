/** Grants for one API that was removed, or whose app was unlinked from it, in SQL. */

import * as rows from './rows.ts';

/**
 * SQL for the time when a grant lost its API, if it is still to be revoked for that; else null. Only later grants gain
 * from a new link. Grants for no particular API, nearly all, cost one comparison. `row` is an alias or table name.
 */
export function unlinkedAt(row: string, grant = 'id'): string {
  return `case when ${row}.server_id is not null then coalesce(
    (select gone.removed_at from removals gone where gone.account_id = ${row}.account_id and gone.kind = 'api'
      and gone.object_id = ${row}.server_id),
    (select max(lost.removed_at) from removals lost where lost.account_id = ${row}.account_id
      and lost.kind = 'api_link' and lost.object_id = ${row}.app_id and lost.server_id = ${row}.server_id
      and lost.last_grant_id >= ${row}.${grant})) end`;
}

/** The columns of a grant; one that lost its API counts as revoked before its row says so. */
export function grantColumns(row: string, prefix = ''): string {
  const value = (name: string) =>
    name === 'revoked_at' ? `coalesce(${row}.revoked_at, ${unlinkedAt(row)})` : `${row}.${name}`;
  return rows.grants.columns.map((name) => `${value(name)} as ${prefix}${name}`).join(', ');
}
