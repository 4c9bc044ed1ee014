import type { Store } from '../store/store.ts';
import { Failure } from './failure.ts';
import { gather, gatherInLanes } from './gather.ts';
import { createSigningQueue, type SigningQueue } from './keys/signing-queue.ts';

/**
 * Milliseconds between two batches of refreshes. An id token is signed after each refresh, so the thread pool is busy
 * while a commit is delayed.
 */
const refreshInterval = 2;

/**
 * On PostgreSQL a batch of refreshes waits while more signatures than these are not made, so that it has more
 * companions: the cores are busy meanwhile, and these keep them so while it is in the database.
 */
const fewSignatures = 4;
/** Milliseconds from the end of a batch that the next one waits for signatures at most. */
const mostHeld = 12;

/** Maximum numbers of concurrent batches on PostgreSQL; each takes a connection of the node. */
const mostLanes = { refresh: 4, register: 2, addAccessToken: 2, push: 2 } as const;

/**
 * On PostgreSQL a batch waits for rows of any of its accounts that another transaction has locked, and a distributed
 * one has each account on one of its nodes, so each account has batches of its own. On SQLite nothing waits for a row,
 * and one commit serves all accounts.
 */
function gatherByAccount<Item, Result>(
  { kind }: Pick<Store, 'kind'>,
  lanes: keyof typeof mostLanes,
  accountOf: (item: Item) => number,
  run: (batch: readonly Item[]) => Promise<readonly Result[]>,
  options: Parameters<typeof gather>[1] = {},
): (item: Item) => Promise<Result> {
  return kind === 'sqlite' ? gather(run, options) : gatherInLanes(accountOf, mostLanes[lanes], run, options);
}

/** A row refers to one that was deleted meanwhile, or has its name: the others of the batch have nothing to do with it. */
function isOfOne(error: unknown): boolean {
  return error instanceof Failure && (error.code === 'not_found' || error.code === 'conflict');
}

/** The same store, in which single writes that arrive together share one commit; `signing`: of the signer. */
export function gatherWrites(store: Store, signing: SigningQueue = createSigningQueue()): Store {
  const { authorizations, clients, grants } = store;
  const hold = (milliseconds: number, begin: () => void) => signing.whenFew(fewSignatures, milliseconds, begin);
  return {
    ...store,
    authorizations: {
      ...authorizations,
      push: gatherByAccount(store, 'push', ({ accountId }) => accountId, authorizations.pushAll, { isOfOne }),
    },
    clients: {
      ...clients,
      register: gatherByAccount(store, 'register', ({ client }) => client.accountId, clients.registerAll, { isOfOne }),
    },
    grants: {
      ...grants,
      addAccessToken: gatherByAccount(store, 'addAccessToken', ({ accountId }) => accountId, grants.addAccessTokens, {
        isOfOne,
      }),
      consume: gatherByAccount(store, 'refresh', ({ accountId }) => accountId, grants.consumeAll, {
        interval: refreshInterval,
        ...(store.kind === 'postgres' && { hold, mostHeld }),
      }),
    },
  };
}
