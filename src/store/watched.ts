/** Tells others what was stored, once its transaction has committed. */

import type { NewEvent } from './events.ts';
import type { HookExecutionRecord } from './hook-executions.ts';
import { lazily } from './lazily.ts';
import type { Store, StoreVerbs } from './store.ts';

type NewHookExecution = Omit<HookExecutionRecord, 'id'>;

export interface StoreWatcher {
  event?(event: NewEvent): void;
  hookRun?(run: NewHookExecution): void;
}

/** The same store, which tells all watchers of events and runs of hooks. What they do must not fail. */
export function watchStore(store: Store, watchers: readonly StoreWatcher[]): Store {
  const tellOf = (event: NewEvent) => {
    for (const watcher of watchers) watcher.event?.(event);
  };
  const tellOfRun = (run: NewHookExecution) => {
    for (const watcher of watchers) watcher.hookRun?.(run);
  };

  /** The verbs of a transaction; what is to be told after its commit goes to `left`. */
  function noting(tx: StoreVerbs, left: (() => void)[]): StoreVerbs {
    return {
      ...tx,
      events: lazily(() => ({
        ...tx.events,
        append: async (event) => {
          await tx.events.append(event);
          left.push(() => tellOf(event));
        },
      })),
      hookExecutions: lazily(() => ({
        ...tx.hookExecutions,
        add: async (executions) => {
          await tx.hookExecutions.add(executions);
          left.push(() => executions.forEach(tellOfRun));
        },
      })),
    };
  }

  return {
    ...store,
    events: {
      ...store.events,
      append: async (event) => {
        await store.events.append(event);
        tellOf(event);
      },
    },
    transaction: async (work) => {
      let left: (() => void)[] = [];
      const result = await store.transaction((tx) => {
        // A retry: nothing is left of the former attempt.
        left = [];
        return work(noting(tx, left));
      });
      for (const told of left) told();
      return result;
    },
  };
}
