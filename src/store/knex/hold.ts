/** Rows that something new is to refer to. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import { isPostgres } from './list-index.ts';
import { homes, present, type Removable } from './removed.ts';

/**
 * Has them stay until the end of the transaction, and answers whether all of them are there. On PostgreSQL it waits for
 * a removal under way: a statement that changed or linked them would wait too, but not see that they are removed then.
 */
export async function hold(db: Knex, accountId: number, kind: Removable, ids: readonly number[]): Promise<boolean> {
  const { table, id } = homes[kind];
  const named = () => db(table).where('account_id', accountId).whereIn(id, ids);
  if (isPostgres(db)) await named().orderBy(id).select(id).forKeyShare();
  // What was removed while this waited is seen by another statement only.
  const found = await named()
    .whereRaw(present(kind, table, id))
    .select(id);
  return found.length === new Set(ids).size;
}

/** For what a link is to name. Throws `not_found`, as a foreign key does once the row is gone, which is later. */
export async function holdPresent(...given: Parameters<typeof hold>): Promise<void> {
  if (!(await hold(...given))) throw new Failure('not_found', { reason: 'a row that is referred to is missing' });
}

/**
 * Waits for those who are taking these links away, and keeps the others. An insert that waited for them itself would
 * still not see what else they did in their transaction.
 */
export async function holdLinks(db: Knex, links: Knex.QueryBuilder, column: string): Promise<void> {
  if (isPostgres(db)) await links.orderBy(column).select(column).forKeyShare();
}
