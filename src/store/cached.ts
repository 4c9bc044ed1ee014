/**
 * Keeps in memory what every request asks for and hardly ever changes: accounts, their keys and clients. Never anything
 * about a user. A kept value is used only while the account's generation is the one it was read at, and the generation
 * is read in every turn of the event loop that uses one: a change by any process is in force for whatever comes after it.
 */

import type { Store } from './store.ts';

/** Of each kind; the one kept longest goes first. */
const mostKept = 10_000;

interface Kept<Value> {
  readonly accountId: number;
  readonly generation: number;
  readonly value: Value;
}

interface Cache {
  /** The value kept under `key`, or what `read` finds, which is then kept. What is not there is read every time. */
  get<Value>(
    kind: string,
    key: string,
    accountOf: (value: Value) => number,
    read: () => Promise<Value | null>,
  ): Promise<Value | null>;
}

function createCache(store: Pick<Store, 'generation'>): Cache {
  const kinds = new Map<string, Map<string, Kept<unknown>>>();
  const turn = new Map<number, Promise<number | null>>();

  /** Requests of one turn share one read. */
  function currentGeneration(accountId: number): Promise<number | null> {
    const shared = turn.get(accountId);
    if (shared) return shared;
    const read = store.generation(accountId);
    turn.set(accountId, read);
    setImmediate(() => turn.delete(accountId));
    return read;
  }

  function keep(kept: Map<string, Kept<unknown>>, key: string, entry: Kept<unknown>): void {
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= mostKept) kept.delete(oldest);
    kept.set(key, entry);
  }

  return {
    async get<Value>(
      kind: string,
      key: string,
      accountOf: (value: Value) => number,
      read: () => Promise<Value | null>,
    ) {
      const kept = kinds.get(kind) ?? new Map<string, Kept<unknown>>();
      kinds.set(kind, kept);
      const known = kept.get(key) as Kept<Value> | undefined;
      if (known && (await currentGeneration(known.accountId)) === known.generation) return known.value;
      kept.delete(key);
      const found = await read();
      if (found === null) return null;
      const accountId = accountOf(found);
      const generation = await store.generation(accountId);
      // Read once more, after the generation: the value is then at least as new as the number it is kept under.
      const value = generation === null ? null : await read();
      if (generation !== null && value !== null) keep(kept, key, { accountId, generation, value });
      return value;
    },
  };
}

/** The same store, answering lookups of accounts, keys and clients from memory while they are unchanged. */
export function cacheLookups(store: Store): Store {
  const cache = createCache(store);
  const { accounts, clients, keys } = store;
  return {
    ...store,
    accounts: {
      ...accounts,
      findBySubdomain: (name) =>
        cache.get(
          'subdomain',
          name,
          ({ id }) => id,
          () => accounts.findBySubdomain(name),
        ),
      findByHost: (host) =>
        cache.get(
          'host',
          host,
          ({ id }) => id,
          () => accounts.findByHost(host),
        ),
    },
    clients: {
      ...clients,
      find: (accountId, clientId, fresh) =>
        fresh
          ? clients.find(accountId, clientId)
          : cache.get(
              'client',
              `${accountId} ${clientId}`,
              () => accountId,
              () => clients.find(accountId, clientId),
            ),
    },
    keys: {
      ...keys,
      list: async (accountId) =>
        (await cache.get(
          'keys',
          `${accountId}`,
          () => accountId,
          () => keys.list(accountId),
        )) ?? [],
    },
  };
}
