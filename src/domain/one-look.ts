/**
 * What a request looks up, as of one moment: it asks for the generation of its account once, and not for each of host,
 * client and keys. Nothing that was answered before all of the request had come is missed (http/surface.ts).
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Looks } from '../store/generations.ts';

/** A request that waits longer, for a hash or a hook, looks again. */
const usualMilliseconds = 50;

/** Of the account that the request is for; nearly all ask for no other. */
interface Look {
  readonly milliseconds: number;
  accountId: number;
  generation: number | null;
  askedAt: number;
  /** How often the request has written. */
  writes: number;
}

const looks = new AsyncLocalStorage<Look>();
const never = Number.NEGATIVE_INFINITY;

/** Does the work of one request. */
export function asOneLook<Result>(work: () => Result, milliseconds = usualMilliseconds): Result {
  return looks.run({ milliseconds, accountId: 0, generation: null, askedAt: never, writes: 0 }, work);
}

/** The looks of requests; what is done for none of them asks each time. */
export const looksOfRequests: Looks = {
  generationOf: async (accountId, ask) => {
    const look = looks.getStore();
    if (!look) return ask(accountId);
    const now = performance.now();
    if (look.accountId === accountId && now - look.askedAt < look.milliseconds) return look.generation;
    const { writes } = look;
    const generation = await ask(accountId);
    // What was read before a write is not kept beyond it.
    if (look.writes === writes) Object.assign(look, { accountId, generation, askedAt: now });
    return generation;
  },
  again: () => {
    const look = looks.getStore();
    if (look) Object.assign(look, { askedAt: never, writes: look.writes + 1 });
  },
};
