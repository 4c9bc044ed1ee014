import type { Store } from '../store/store.ts';
import { gatherInLanes } from './gather.ts';

/** Maximum number of concurrent batches of a kind; each takes a connection of the node. */
const mostLanes = 4;

interface Lookup {
  readonly accountId: number;
  readonly id: number;
}

/** Looks up one of an account by its id, with others of the account that are looked up at the same time. */
function gatherLookups<Found>(
  findAll: (accountId: number, ids: readonly number[]) => Promise<readonly Found[]>,
): (accountId: number, id: number) => Promise<Found> {
  const find = gatherInLanes(
    ({ accountId }: Lookup) => accountId,
    mostLanes,
    async (batch): Promise<readonly Found[]> => {
      const [first] = batch;
      return first
        ? findAll(
            first.accountId,
            batch.map(({ id }) => id),
          )
        : [];
    },
  );
  return (accountId, id) => find({ accountId, id });
}

/**
 * The same store, in which lookups of tokens that come at the same time share a statement on PostgreSQL: sending one
 * and reading its answer takes several times as long as finding a row. Each still sees everything that was committed
 * before it. SQLite answers a lookup at once.
 */
export function gatherReads(store: Store): Store {
  if (store.kind === 'sqlite') return store;
  const { callers, grants } = store;
  return {
    ...store,
    callers: { ...callers, findToken: gatherLookups(callers.findTokens) },
    grants: { ...grants, findAccessToken: gatherLookups(grants.findAccessTokens) },
  };
}
