import { signInOf } from '../domain/audit/sign-ins.ts';
import type { Store } from '../store/store.ts';
import { watchStore } from '../store/watched.ts';
import type { Meters } from './meters.ts';
import { refreshOutcomeOf } from './outcomes.ts';

type Batch = 'refresh' | 'access_token' | 'registration' | 'pushed_request';
type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<Result[]>;

/**
 * The same store, below what gathers single writes (src/domain/gathered-writes.ts): a batch is measured once, whatever
 * the number of its requests. Events and runs of hooks count when their transaction has committed.
 */
export function meterStore(store: Store, meters: Meters): Store {
  const { authorizations, clients, grants } = store;

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
  const watched = watchStore(store, [
    {
      event: (event) => {
        const signIn = signInOf(event);
        if (signIn) meters.count('gatehouse_sign_ins_total', { outcome: signIn.outcome, method: signIn.method });
      },
      hookRun: ({ outcome, durationMilliseconds }) =>
        meters.observe('gatehouse_hook_run_seconds', { outcome }, durationMilliseconds / 1000),
    },
  ]);

  meters.beforeReading(() => {
    for (const { pool, ...states } of store.connections()) {
      meters.set('gatehouse_database_connections', { pool, state: 'used' }, states.used);
      meters.set('gatehouse_database_connections', { pool, state: 'free' }, states.free);
      meters.set('gatehouse_database_connections', { pool, state: 'waiting' }, states.waiting);
    }
  });

  return {
    ...watched,
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
  };
}

function tally<Outcome>(outcomes: readonly Outcome[]): ReadonlyMap<Outcome, number> {
  const numbers = new Map<Outcome, number>();
  for (const outcome of outcomes) numbers.set(outcome, (numbers.get(outcome) ?? 0) + 1);
  return numbers;
}
