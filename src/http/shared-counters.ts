import type { Counter } from './window-counters.ts';

/**
 * Counters of keys that found no room for one of their own. A key names the limit of an account and one of 256 shares,
 * so that no account fills the counters of another; accounts and limits are as many as the operator made.
 */
export class SharedCounters {
  readonly #windowMilliseconds: number;
  /** In the order in which the windows began, which is that in which they end. */
  readonly #counters = new Map<string, Counter>();

  constructor(windowMilliseconds: number) {
    this.#windowMilliseconds = windowMilliseconds;
  }

  get size(): number {
    return this.#counters.size;
  }

  /** The counter of a window that lasts. */
  find(key: string, now: number): Counter | null {
    const counter = this.#counters.get(key);
    return counter && counter.endsAt > now ? counter : null;
  }

  /** Begins the window of a key that `find` does not find, with nothing counted; those that ended go. */
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
