/** Work on rows of several accounts, account by account: no statement of a request leaves its account. */

interface Owned {
  readonly accountId: number;
}

/**
 * Calls `work` once for each account, in the order in which chains of events are locked; the results are in the order
 * of the items.
 */
export async function byAccount<Item extends Owned, Result>(
  items: readonly Item[],
  work: (items: readonly [Item, ...Item[]], accountId: number) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const [first, ...others] = items;
  if (!first) return [];
  if (others.every(({ accountId }) => accountId === first.accountId)) {
    return [...(await work([first, ...others], first.accountId))];
  }
  const accounts = [...new Set(items.map(({ accountId }) => accountId))].sort((one, other) => one - other);
  const results = new Map<Item, Result>();
  for (const accountId of accounts) {
    const own = items.filter((item) => item.accountId === accountId);
    const [head, ...rest] = own;
    if (!head) continue;
    for (const [index, result] of (await work([head, ...rest], accountId)).entries()) {
      results.set(own[index] as Item, result);
    }
  }
  return items.map((item) => results.get(item) as Result);
}
