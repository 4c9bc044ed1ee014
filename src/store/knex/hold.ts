/** Rows that something new is to refer to, or that are to change: not while they are being removed. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import { dialectOf, type RowLock } from './dialect.ts';
import { homes, present, type Removable } from './removed.ts';

/**
 * Whether all of them are there. On PostgreSQL it waits for a removal under way: a statement that changed or linked them
 * would wait too, but not see that they are removed then.
 */
async function hold(
  db: Knex,
  accountId: number,
  kind: Removable,
  ids: readonly number[],
  as: RowLock,
): Promise<boolean> {
  const { table, id } = homes[kind];
  const named = () => db(table).where('account_id', accountId).whereIn(id, ids);
  await dialectOf(db).lock(() => named().orderBy(id).select(id), as);
  // What was removed while this waited is seen by another statement only.
  const found = await named()
    .whereRaw(present(kind, table, id))
    .select(id);
  return found.length === new Set(ids).size;
}

/**
 * For what a link is to name: has it stay until the end of the transaction. Throws `not_found`, as a foreign key does
 * once the row is gone, which is later.
 */
export async function holdPresent(db: Knex, accountId: number, kind: Removable, ids: readonly number[]): Promise<void> {
  if (await hold(db, accountId, kind, ids, 'forKeyShare')) return;
  throw new Failure('not_found', { reason: 'a row that is referred to is missing' });
}

/** For what is to change: others may link it meanwhile, and nobody else changes or removes it. False: it is not there. */
export function lockPresent(db: Knex, accountId: number, kind: Removable, id: number): Promise<boolean> {
  return hold(db, accountId, kind, [id], 'forNoKeyUpdate');
}

/**
 * Waits for those who are taking these links away, and keeps the others. An insert that waited for them itself would
 * still not see what else they did in their transaction.
 */
export async function holdLinks(db: Knex, links: Knex.QueryBuilder, column: string): Promise<void> {
  await dialectOf(db).lock(() => links.orderBy(column).select(column), 'forKeyShare');
}
