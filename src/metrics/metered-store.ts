import type { Store, StoreVerbs } from '../store/store.ts';
import type { Meters } from './meters.ts';
import { refreshOutcomeOf, type SignIn, signInOf } from './outcomes.ts';

type Batch = 'refresh' | 'access_token' | 'registration' | 'pushed_request';
type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<Result[]>;

/**
 * The same store, below what gathers single writes (src/domain/gathered-writes.ts): a batch is measured once, whatever
 * the number of its requests. Events and runs of hooks count when their transaction has committed.
 */
export function meterStore(store: Store, meters: Meters): Store {
  const { authorizations, clients, grants, events } = store;

  function timed<Item, Result>(batch: Batch, run: RunBatch<Item, Result>): RunBatch<Item, Result> {
    return async (items) => {
      const startedAt = performance.now();
      try {
        return await run(items);
      } finally {
        meters.observe('gatehouse_database_batch_items', { batch }, items.length);
        meters.observe('gatehouse_database_batch_seconds', { batch }, (performance.now() - startedAt) / 1000);
      }
    };
  }

  const consumeAll = timed('refresh', grants.consumeAll);
  const count = ({ outcome, method }: SignIn) => meters.count('gatehouse_sign_ins_total', { outcome, method });

  meters.beforeReading(() => {
    for (const { pool, ...states } of store.connections()) {
      meters.set('gatehouse_database_connections', { pool, state: 'used' }, states.used);
      meters.set('gatehouse_database_connections', { pool, state: 'free' }, states.free);
      meters.set('gatehouse_database_connections', { pool, state: 'waiting' }, states.waiting);
    }
  });

  return {
    ...store,
    authorizations: { ...authorizations, pushAll: timed('pushed_request', authorizations.pushAll) },
    clients: { ...clients, registerAll: timed('registration', clients.registerAll) },
    grants: {
      ...grants,
      addAccessTokens: timed('access_token', grants.addAccessTokens),
      consumeAll: async (items) => {
        try {
          const results = await consumeAll(items);
          for (const [outcome, number] of tally(results.map(refreshOutcomeOf))) {
            meters.count('gatehouse_refreshes_total', { outcome }, number);
          }
          return results;
        } catch (error) {
          meters.count('gatehouse_refreshes_total', { outcome: 'unavailable' }, items.length);
          throw error;
        }
      },
    },
    events: {
      ...events,
      append: async (event) => {
        await events.append(event);
        const signIn = signInOf(event);
        if (signIn) count(signIn);
      },
    },
    transaction: async (work) => {
      let left: (() => void)[] = [];
      const result = await store.transaction((tx) => {
        // A retry: nothing is left of the former attempt.
        left = [];
        return work(noting(tx, meters, count, left));
      });
      for (const told of left) told();
      return result;
    },
  };
}

function tally<Outcome>(outcomes: readonly Outcome[]): ReadonlyMap<Outcome, number> {
  const numbers = new Map<Outcome, number>();
  for (const outcome of outcomes) numbers.set(outcome, (numbers.get(outcome) ?? 0) + 1);
  return numbers;
}

/** The verbs of a transaction; what is to be counted after its commit goes to `left`. */
function noting(tx: StoreVerbs, meters: Meters, count: (signIn: SignIn) => void, left: (() => void)[]): StoreVerbs {
  return {
    ...tx,
    events: {
      ...tx.events,
      append: async (event) => {
        await tx.events.append(event);
        const signIn = signInOf(event);
        if (signIn) left.push(() => count(signIn));
      },
    },
    hookExecutions: {
      ...tx.hookExecutions,
      add: async (executions) => {
        await tx.hookExecutions.add(executions);
        for (const { outcome, durationMilliseconds } of executions) {
          left.push(() => meters.observe('gatehouse_hook_run_seconds', { outcome }, durationMilliseconds / 1000));
        }
      },
    },
  };
}
