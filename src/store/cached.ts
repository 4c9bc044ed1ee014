/**
 * Caches what every request needs and what rarely changes: accounts, their keys, policies, hooks, clients and their
 * links; never anything about a user. A cached value is used only while the account's generation is the one at which it
 * was read. That generation was read in this turn of the event loop or later, or lately by the same request (`Looks` in
 * generations.ts), so a change by any process takes effect for everything that begins after it.
 */

import type { AccountRecord } from './accounts.ts';
import { Room } from './cache-room.ts';
import { createGenerations, type Generations, type Looks } from './generations.ts';
import type { Store } from './store.ts';

/** Kinds of which strangers can make the service read many, each of which may be long. */
const weighed = new Set(['client', 'client with a document', 'linked servers', 'open servers']);
/** So begin identifiers of clients with a metadata document. A new one moves the generation, so absence can be kept. */
const addressed = 'https://';

interface Cache {
  /**
   * The account's cached value for `key`, or the result of `read`, which is then cached. A missing value is not cached.
   */
  get<Value>(kind: string, key: string, accountId: number, read: () => Promise<Value | null>): Promise<Value | null>;
  /** The same for looking up an account. */
  getAccount(kind: string, key: string, read: () => Promise<AccountRecord | null>): Promise<AccountRecord | null>;
  /** Runs what may write something that is cached: lookups after it see that, in the same turn too. */
  writing<Result>(work: () => Promise<Result>): Promise<Result>;
}

function createCache(generations: Generations): Cache {
  const kinds = new Map<string, Room<unknown>>();

  function roomOf<Value>(kind: string): Room<Value> {
    const room = kinds.get(kind) ?? new Room<unknown>();
    kinds.set(kind, room);
    return room as Room<Value>;
  }

  async function get<Value>(kind: string, key: string, accountId: number, read: () => Promise<Value | null>) {
    const room = roomOf<Value>(kind);
    // Read first, whether or not a value is cached: the time of a lookup must not reveal that, and a value read
    // afterwards is at least as new.
    const generation = await generations.ask(accountId);
    const known = room.get(key);
    if (known && known.generation === generation) return known.value;
    const value = await read();
    if (generation === null || value === null) {
      room.drop(key);
      return value;
    }
    const characters = weighed.has(kind) ? JSON.stringify(value).length : 0;
    room.keep(key, { accountId, generation, value, characters });
    return value;
  }

  return {
    get,
    async getAccount(kind, key, read) {
      const known = roomOf<AccountRecord>(kind).get(key);
      const accountId = known ? known.accountId : (await read())?.id;
      if (accountId === undefined) return null;
      // The key may belong to another account by now, so the generation of this one would not match it.
      const value = await get(kind, key, accountId, read);
      if (value === null || value.id === accountId) return value;
      roomOf(kind).drop(key);
      return value;
    },
    async writing(work) {
      try {
        return await work();
      } finally {
        generations.lookAgain();
      }
    },
  };
}

type Verb = (...given: readonly unknown[]) => Promise<unknown>;

const reads = /^(find|list|page)/;

/** The same functions; the request looks again after each that may write. */
function lookingAgain<Verbs extends object>(verbs: Verbs, { writing }: Pick<Cache, 'writing'>): Verbs {
  const entries = Object.entries<Verb>(verbs as Readonly<Record<string, Verb>>);
  const looking = entries.map(([name, verb]): [string, Verb] => [
    name,
    reads.test(name) ? verb : (...given) => writing(() => verb(...given)),
  ]);
  return Object.fromEntries(looking) as Verbs; // The same names, each with the same parameters and result.
}

/** The same store, with cached lookups of accounts, keys, policies, hooks, clients and their links. */
export function cacheLookups(store: Store, looks?: Looks): Store {
  const cache = createCache(createGenerations(store, looks));
  const { accounts, authorizationServers, clients, hooks, hookVariables, keys, policies, packageBuilds } = store;
  const listPolicies: Store['policies']['list'] = async (accountId) =>
    (await cache.get('policies', `${accountId}`, accountId, () => policies.list(accountId))) ?? [];
  return {
    ...store,
    transaction: (work) => cache.writing(() => store.transaction(work)),
    packageBuilds: lookingAgain(packageBuilds, cache),
    accounts: {
      ...lookingAgain(accounts, cache),
      findBySubdomain: (name) => cache.getAccount('subdomain', name, () => accounts.findBySubdomain(name)),
      findByHost: (host) => cache.getAccount('host', host, () => accounts.findByHost(host)),
    },
    clients: {
      ...lookingAgain(clients, cache),
      find: async (accountId, clientId, fresh) => {
        const read = () => clients.find(accountId, clientId);
        if (fresh) return read();
        const key = `${accountId} ${clientId}`;
        if (!clientId.startsWith(addressed)) return cache.get('client', key, accountId, read);
        const found = await cache.get('client with a document', key, accountId, async () => ({ client: await read() }));
        return found?.client ?? null;
      },
    },
    policies: {
      ...lookingAgain(policies, cache),
      list: listPolicies,
      listFollowed: async (accountId, userId) => ({
        policies: await listPolicies(accountId),
        ...(await policies.followedBy(accountId, userId)),
      }),
    },
    authorizationServers: {
      ...lookingAgain(authorizationServers, cache),
      ofClient: async (accountId, appId) => {
        const read = () => authorizationServers.ofClient(accountId, appId);
        return (await cache.get('linked servers', `${accountId} ${appId}`, accountId, read)) ?? [];
      },
      findOpen: (accountId, key) => {
        const name = 'id' in key ? `id ${key.id}` : `of ${key.resourceIdentifier}`;
        const read = () => authorizationServers.findOpen(accountId, key);
        return cache.get('open servers', `${accountId} ${name}`, accountId, read);
      },
    },
    hooks: {
      ...lookingAgain(hooks, cache),
      listLive: async (accountId) =>
        (await cache.get('live hooks', `${accountId}`, accountId, () => hooks.listLive(accountId))) ?? [],
    },
    hookVariables: {
      ...lookingAgain(hookVariables, cache),
      list: async (accountId) =>
        (await cache.get('hook variables', `${accountId}`, accountId, () => hookVariables.list(accountId))) ?? [],
    },
    keys: {
      ...lookingAgain(keys, cache),
      list: async (accountId) => (await cache.get('keys', `${accountId}`, accountId, () => keys.list(accountId))) ?? [],
    },
  };
}
