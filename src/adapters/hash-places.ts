/**
 * Places before the threads that digest passwords. A place is given in fair turns, for the whole of an attempt: what it
 * asks of the store is done while others are digested. Who has one is never turned away.
 */

import { Failure } from '../domain/failure.ts';
import { createFairQueue, type Share } from '../domain/fair-queue/fair-queue.ts';

/** Beyond those that are digested. */
const mostWaiting = 64;
/** Attempts whose part before the digest is done ahead, so that no thread waits for the store. */
const ahead = 8;
/** Further ones, for sources that had little: their digest is the next. */
const aheadOfQuiet = 4;
/**
 * Between the end of an attempt and the beginning of the next. At its end it writes down what came of it, and the next
 * digest begins: were another attempt to ask the store in that moment too, everybody else would wait for both.
 */
const pauseMilliseconds = 5;
/** A digest that takes less than this many times the quickest is a usual one: a busy machine is no steady one. */
const timesUsual = 4;

export interface HashPlace {
  /** Runs its argument on a thread, as soon as one is free. */
  hash<Result>(work: () => Promise<Result>): Promise<Result>;
  /** What is done in this place does not count against its source. */
  forgive(): void;
}

interface HashPlaces {
  /** Throws `unavailable` before `work` begins when there is no place, or somebody with a smaller share took it. */
  withPlace<Result>(share: Share, work: (place: HashPlace) => Promise<Result>): Promise<Result>;
}

interface Ready {
  readonly rank: number;
  readonly begin: () => void;
}

/** `threads`: passwords that are digested at a time. */
export function createHashPlaces(threads: number): HashPlaces {
  const queue = createFairQueue({
    turns: threads + ahead,
    turnsForQuiet: aheadOfQuiet,
    most: threads + mostWaiting,
    pauseMilliseconds,
  });
  const ready: Ready[] = [];
  let free = threads;
  let quickest = Number.POSITIVE_INFINITY;

  /** How many usual digests it took the time of. */
  function weigh(milliseconds: number): number {
    quickest = Math.min(quickest, milliseconds);
    return Math.max(1, Math.floor(milliseconds / quickest / timesUsual));
  }

  function freeThread(): void {
    let next: Ready | undefined;
    for (const one of ready) if (next === undefined || one.rank < next.rank) next = one;
    if (next === undefined) {
      free += 1;
      return;
    }
    ready.splice(ready.indexOf(next), 1);
    next.begin();
  }

  /** Answers how long it took as well. */
  async function onThread<Result>(rank: number, hashing: () => Promise<Result>): Promise<[Result, number]> {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => ready.push({ rank, begin }));
    const startedAt = performance.now();
    try {
      return [await hashing(), performance.now() - startedAt];
    } finally {
      freeThread();
    }
  }

  return {
    async withPlace(share, work) {
      const turn = await queue.enter(share);
      if (turn === null) {
        throw new Failure('unavailable', { retryAfterSeconds: 1, reason: 'too many passwords wait to be checked' });
      }
      let isForgiven = false;
      let weight = 1;
      const forgive = () => {
        isForgiven = true;
      };
      const hash: HashPlace['hash'] = async (hashing) => {
        const [result, milliseconds] = await onThread(turn.rank, hashing);
        weight = Math.max(weight, weigh(milliseconds));
        return result;
      };
      try {
        return await work({ hash, forgive });
      } finally {
        turn.end(isForgiven, weight);
      }
    },
  };
}
