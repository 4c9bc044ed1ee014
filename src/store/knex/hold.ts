/** Locks rows that are about to be referenced or changed, so that they are not removed meanwhile. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import { dialectOf, type RowLock } from './dialect.ts';
import { homes, present, type Removable } from './removed.ts';

/**
 * Whether all of them exist. On PostgreSQL it waits for a removal in progress: a statement that changed or linked them
 * would wait too, but not see afterwards that they are removed.
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
  // A removal that this waited for is only visible to another statement.
  const found = await named()
    .whereRaw(present(kind, table, id))
    .select(id);
  return found.length === new Set(ids).size;
}

/**
 * For rows that a link will reference: keeps them until the end of the transaction. Throws `not_found`, as a foreign
 * key does only later, once the row is gone.
 */
export async function holdPresent(db: Knex, accountId: number, kind: Removable, ids: readonly number[]): Promise<void> {
  if (await hold(db, accountId, kind, ids, 'forKeyShare')) return;
  throw new Failure('not_found', { reason: 'a row that is referred to is missing' });
}

/** For a row that will change: others may still link it, but not change or remove it. False if it does not exist. */
export function lockPresent(db: Knex, accountId: number, kind: Removable, id: number): Promise<boolean> {
  return hold(db, accountId, kind, [id], 'forNoKeyUpdate');
}

/**
 * Waits for transactions that are removing these links, and keeps the others. An insert that waited by itself would
 * still not see the other changes of those transactions.
 */
export async function holdLinks(db: Knex, links: Knex.QueryBuilder, ...key: readonly string[]): Promise<void> {
  await dialectOf(db).lock(() => links.orderBy([...key]).select(...key), 'forKeyShare');
}
