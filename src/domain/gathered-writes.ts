import type { Consumption, ConsumptionOutcome } from '../store/consumption.ts';
import type { Store } from '../store/store.ts';
import { gather, gatherInLanes } from './gather.ts';

/**
 * Milliseconds between two batches of refreshes. An id token is signed after each refresh, so the thread pool is busy
 * while a commit is delayed.
 */
const refreshInterval = 2;

/** Maximum number of concurrent batches on PostgreSQL; each takes a connection of the node. */
const mostLanes = 4;

/**
 * On PostgreSQL a batch waits for rows of any of its accounts that another transaction has locked, so each account has
 * batches of its own. On SQLite nothing waits for a row, and one commit serves all accounts.
 */
function gatherRefreshes({ kind, grants }: Pick<Store, 'kind' | 'grants'>) {
  const options = { interval: refreshInterval };
  if (kind === 'sqlite') return gather<Consumption, ConsumptionOutcome>(grants.consumeAll, options);
  const accountOf = ({ accountId }: Consumption) => accountId;
  return gatherInLanes<Consumption, ConsumptionOutcome>(accountOf, mostLanes, grants.consumeAll, options);
}

/** The same store, in which single writes that arrive together share one commit. */
export function gatherWrites(store: Store): Store {
  const { clients, grants } = store;
  return {
    ...store,
    clients: { ...clients, register: gather(clients.registerAll) },
    grants: {
      ...grants,
      addAccessToken: gather(grants.addAccessTokens),
      consume: gatherRefreshes(store),
    },
  };
}
