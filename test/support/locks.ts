/** Two transactions at once: one that waits for the other, as far as the test lets them go. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Store, StoreVerbs } from '../../src/store/store.ts';
import { ask } from './rows.ts';

/** Resolves when this many PostgreSQL sessions wait for a lock, or when what should wait has ended. */
export async function untilWaiting(url: string, running: Promise<unknown>, sessions = 1): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  running.then(end, end);
  const waiting = `select count(*) as number from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while (!isOver) {
    const [row] = await ask(url, waiting);
    if (Number(row?.['number']) >= sessions) return;
    await delay(5);
  }
}

/**
 * Runs `second` while a transaction that has done `first` is not committed yet, until `sessions` of `second` wait for
 * it. SQLite has one transaction after the other. Answers what `second` answers.
 */
export async function whileUncommitted<Result>(
  { store, url }: { readonly store: Store; readonly url: string },
  first: (tx: StoreVerbs) => Promise<unknown>,
  second: () => Promise<Result>,
  sessions = 1,
): Promise<Result> {
  if (store.kind === 'sqlite') {
    await store.transaction(first);
    return second();
  }
  const [done, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const committed = store.transaction(async (tx) => {
    await first(tx);
    done.resolve();
    await commit.promise;
  });
  await Promise.race([done.promise, committed]);
  const running = second();
  await untilWaiting(url, running, sessions);
  commit.resolve();
  await committed;
  return running;
}
