import type { Counter } from './window-counters.ts';

/**
 * Counters of keys that got no counter of their own. A key names the limit of an account and one of 256 shares, so that
 * accounts do not fill each other's counters. The number of accounts and limits is up to the operator.
 */
export class SharedCounters {
  readonly #windowMilliseconds: number;
  /** In the order in which the windows began and will end. */
  readonly #counters = new Map<string, Counter>();

  constructor(windowMilliseconds: number) {
    this.#windowMilliseconds = windowMilliseconds;
  }

  get size(): number {
    return this.#counters.size;
  }

  /** The counter of a current window. */
  find(key: string, now: number): Counter | null {
    const counter = this.#counters.get(key);
    return counter && counter.endsAt > now ? counter : null;
  }

  /** Begins an empty window for a key that `find` does not find; ended windows are dropped. */
  begin(key: string, now: number): Counter {
    for (const [ended, { endsAt }] of this.#counters) {
      if (endsAt > now) break;
      this.#counters.delete(ended);
    }
    const counter = { count: 0, endsAt: now + this.#windowMilliseconds };
    this.#counters.set(key, counter);
    return counter;
  }
}
