import type { Store } from '../store/store.ts';
import { gather } from './gather.ts';

/**
 * Milliseconds between two batches of refreshes. An identity token is signed after each: the pool has work while a
 * commit is put off.
 */
const refreshInterval = 2;

/** The same store, in which single writes that arrive together become durable with one commit. */
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
