/**
 * What a request looks up, as of one moment: it asks for the generation of its account once, and not for each of host,
 * client and keys. Nothing that was answered before all of the request had come is missed (http/surface.ts).
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Looks } from '../store/generations.ts';

/** A request that waits longer, for a hash or a hook, looks again. */
const usualMilliseconds = 50;

type Generation = Promise<number | null>;

interface Look {
  readonly milliseconds: number;
  readonly asked: Map<number, { readonly generation: Generation; readonly at: number }>;
}

const looks = new AsyncLocalStorage<Look>();

/** Does the work of one request. */
export function asOneLook<Result>(work: () => Result, milliseconds = usualMilliseconds): Result {
  return looks.run({ milliseconds, asked: new Map() }, work);
}

/** The looks of requests; what is done for none of them asks each time. */
export const looksOfRequests: Looks = {
  generationOf: (accountId, ask) => {
    const look = looks.getStore();
    if (!look) return ask(accountId);
    const { milliseconds, asked } = look;
    const known = asked.get(accountId);
    const at = performance.now();
    if (known && at - known.at < milliseconds) return known.generation;
    const generation = ask(accountId);
    asked.set(accountId, { generation, at });
    // What follows a failure asks again.
    generation.catch(() => asked.delete(accountId));
    return generation;
  },
  again: () => {
    looks.getStore()?.asked.clear();
  },
};
