import type { Store } from '../store/store.ts';
import { gather } from './gather.ts';

/** The same store, in which single writes that arrive together become durable with one commit. */
export function gatherWrites(store: Store): Store {
  return {
    ...store,
    clients: { ...store.clients, register: gather((clients) => store.clients.registerAll(clients)) },
    grants: { ...store.grants, addAccessToken: gather((tokens) => store.grants.addAccessTokens(tokens)) },
  };
}
