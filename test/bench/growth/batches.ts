/** Many calls of the domain with few commits. */

import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../../src/domain/failure.ts';
import type { Services } from '../../../src/services.ts';

/** Few enough for PostgreSQL: each may hold the row of the account, for which others wait 5 s at most. */
const callsAtOnce = 100;
/** Transactions under way at once; SQLite has one writer. */
const lanes = { sqlite: 1, postgres: 3 } as const;
const mostTries = 10;

/** The services over a store whose transactions are all part of the one that is open. */
async function inOneTransaction(services: Services, work: (services: Services) => Promise<void>): Promise<void> {
  const { store } = services;
  await store.transaction(async (tx) => {
    await work({ ...services, store: { ...store, ...tx, transaction: (inner) => inner(tx) } });
  });
}

/** The same, again where the database gave up waiting for another lane: nothing of it was kept. */
async function persistently(services: Services, work: (services: Services) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inOneTransaction(services, work);
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'unavailable') || tries === mostTries) throw error;
    }
  }
}

/** Makes `count` of something, in the order of their numbers from 0 within each transaction; answers what was made. */
export async function makeMany<Made>(
  services: Services,
  count: number,
  make: (services: Services, number: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = Array.from({ length: count });
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const from = next;
      next = Math.min(count, from + callsAtOnce);
      const to = next;
      await persistently(services, async (joined) => {
        for (let number = from; number < to; number += 1) made[number] = await make(joined, number);
      });
      // SQLite answers at once: without a turn of the event loop the memory of no statement would ever be given back.
      await setImmediate();
    }
  };
  await Promise.all(Array.from({ length: lanes[services.store.kind] }, lane));
  return made;
}
