/** Rows that something new is to refer to. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import { isPostgres } from './list-index.ts';
import { homes, present, type Removable } from './removed.ts';

/**
 * Has them stay until the end of the transaction. Throws `not_found` for what is not there: a foreign key says so only
 * when the row is gone, which is later. On PostgreSQL it waits for a removal under way; without that the link would be
 * put in first and then wait, while the removal may wait for the link.
 */
export async function holdPresent(db: Knex, accountId: number, kind: Removable, ids: readonly number[]): Promise<void> {
  const { table, id } = homes[kind];
  const named = () => db(table).where('account_id', accountId).whereIn(id, ids);
  // What was removed while this waited is seen by another statement only.
  if (isPostgres(db)) await named().orderBy(id).select(id).forKeyShare();
  const found = await named()
    .whereRaw(present(kind, table, id))
    .select(id);
  if (found.length < new Set(ids).size) {
    throw new Failure('not_found', { reason: 'a row that is referred to is missing' });
  }
}

/**
 * Waits for those who are taking these links away, and keeps the others. An insert that waited for them itself would
 * still not see what else they did in their transaction.
 */
export async function holdLinks(db: Knex, links: Knex.QueryBuilder, column: string): Promise<void> {
  if (isPostgres(db)) await links.orderBy(column).select(column).forKeyShare();
}
