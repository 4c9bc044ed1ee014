import type { Store } from '../store/store.ts';
import { gather } from './gather.ts';

/**
 * Milliseconds between two batches of refreshes. An id token is signed after each refresh, so the thread pool is busy
 * while a commit is delayed.
 */
const refreshInterval = 2;

/** The same store, in which single writes that arrive together share one commit. */
export function gatherWrites(store: Store): Store {
  const { clients, grants } = store;
  return {
    ...store,
    clients: { ...clients, register: gather(clients.registerAll) },
    grants: {
      ...grants,
      addAccessToken: gather(grants.addAccessTokens),
      consume: gather(grants.consumeAll, { interval: refreshInterval }),
    },
  };
}
