/**
 * Places before the threads that digest passwords. Each attempt gets a place in fair turns and keeps it until it ends,
 * so that its work with the store overlaps with the digests of others. An attempt with a place is never turned away.
 */

import { Failure } from '../domain/failure.ts';
import { createFairQueue, type Turn } from '../domain/fair-queue/fair-queue.ts';
import type { Share } from '../domain/fair-queue/share.ts';

/** In addition to those being digested. */
const mostWaiting = 64;
/** Attempts that prepare for their digest in advance, so that no thread waits for the store. */
const ahead = 8;
/** Additional ones for sources that had little: their digest is next. */
const aheadOfQuiet = 4;
/**
 * Pause between the end of an attempt and the beginning of the next. An attempt ends by writing its result while the
 * next digest begins; if another attempt used the store at that moment too, everyone else would wait for both.
 */
const pauseMilliseconds = 5;
/** A digest that takes less than this many times the fastest one is usual: timing varies on a busy machine. */
const timesUsual = 4;

export interface HashPlace {
  /** Runs its argument on a thread as soon as one is free. */
  hash<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The work done in this place does not count against its source. */
  forgive(): void;
}

interface HashPlaces {
  /** Throws `unavailable` before `work` begins when there is no place, or a request with a smaller share took it. */
  withPlace<Result>(share: Share, work: (place: HashPlace) => Promise<Result>): Promise<Result>;
}

/** Receives what the places are used for; times in milliseconds. */
export interface PasswordReport {
  /** An attempt began to wait for a place, or ceased to. */
  waiting(change: 1 | -1): void;
  waited(milliseconds: number): void;
  /** An attempt got no place. */
  refused(): void;
  hashed(milliseconds: number): void;
}

interface Ready {
  readonly rank: number;
  readonly begin: () => void;
}

/** `threads`: number of concurrent digests. */
export function createHashPlaces(threads: number, report?: PasswordReport): HashPlaces {
  const queue = createFairQueue({
    turns: threads + ahead,
    turnsForQuiet: aheadOfQuiet,
    most: threads + mostWaiting,
    pauseMilliseconds,
  });
  const ready: Ready[] = [];
  let free = threads;
  let quickest = Number.POSITIVE_INFINITY;

  async function enter(share: Share): Promise<Turn | null> {
    const startedAt = performance.now();
    report?.waiting(1);
    const turn = await queue.enter(share);
    report?.waiting(-1);
    report?.waited(performance.now() - startedAt);
    if (turn === null) report?.refused();
    return turn;
  }

  /** Its duration in usual digests. */
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

  /** Also returns the duration. */
  async function onThread<Result>(rank: number, hashing: () => Promise<Result>): Promise<[Result, number]> {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => ready.push({ rank, begin }));
    const startedAt = performance.now();
    try {
      const result = await hashing();
      const milliseconds = performance.now() - startedAt;
      report?.hashed(milliseconds);
      return [result, milliseconds];
    } finally {
      freeThread();
    }
  }

  return {
    async withPlace(share, work) {
      const turn = await enter(share);
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
