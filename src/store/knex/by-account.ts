/** Work on rows of several accounts, account by account: no statement of a request leaves its account. */

import type { Knex } from 'knex';
import { inTransaction } from './transact.ts';

interface Owned {
  readonly accountId: number;
}

/** Items of one account, in the order given. */
export type OfAccount<Item> = readonly [Item, ...Item[]];

/** The items of each account, in the order in which chains of events are locked. */
export function byAccount<Item extends Owned>(items: Iterable<Item>): [accountId: number, own: OfAccount<Item>][] {
  const batches = new Map<number, [Item, ...Item[]]>();
  for (const item of items) {
    const own = batches.get(item.accountId);
    if (own) own.push(item);
    else batches.set(item.accountId, [item]);
  }
  return [...batches].sort(([one], [other]) => one - other);
}

/**
 * Calls `work` once for each account, which answers a result for each item; returns the results in the order of the
 * items. What several accounts have is done in one transaction, or not at all.
 */
export async function resultsByAccount<Item extends Owned, Result>(
  db: Knex,
  items: readonly Item[],
  work: (db: Knex, own: OfAccount<Item>) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const batches = byAccount(items);
  const workAll = async (on: Knex) => {
    const results = new Map<number, Iterator<Result>>();
    for (const [accountId, own] of batches) results.set(accountId, (await work(on, own)).values());
    return items.map(({ accountId }) => results.get(accountId)?.next().value as Result);
  };
  return batches.length > 1 ? inTransaction(db, workAll) : workAll(db);
}
