import type { Store } from '../store/store.ts';
import { gatherInLanes } from './gather.ts';

/** Maximum number of concurrent batches of a kind; each takes a connection of the node. */
const mostLanes = 4;

interface Lookup {
  readonly accountId: number;
  readonly id: number;
}

/**
 * Looks up one row of an account by its id, together with others of the account that are asked for at the same time. An
 * id that is no whole number is no row's, and would fail the others.
 */
function gatherLookups<Found>(
  findAll: (accountId: number, ids: readonly number[]) => Promise<readonly (Found | null)[]>,
): (accountId: number, id: number) => Promise<Found | null> {
  const find = gatherInLanes(
    ({ accountId }: Lookup) => accountId,
    mostLanes,
    async (batch): Promise<readonly (Found | null)[]> => {
      const [first] = batch;
      if (!first) return [];
      const ids = batch.map(({ id }) => id);
      return findAll(first.accountId, ids);
    },
  );
  return async (accountId, id) => (Number.isSafeInteger(id) ? find({ accountId, id }) : null);
}

/**
 * The same store, in which lookups of tokens, and of claims, that come at the same time share a statement on
 * PostgreSQL: sending one and reading its answer takes several times as long as finding a row. Each still sees
 * everything that was committed before it. On SQLite a lookup costs less than gathering it.
 */
export function gatherReads(store: Store): Store {
  if (store.kind === 'sqlite') return store;
  const { callers, grants } = store;
  return {
    ...store,
    callers: { ...callers, findToken: gatherLookups(callers.findTokens) },
    grants: {
      ...grants,
      findAccessToken: gatherLookups(grants.findAccessTokens),
      findClaims: gatherLookups(grants.findClaimsOf),
    },
  };
}
