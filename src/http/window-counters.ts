/** The count of a window, which began with the first event. */
export interface Counter {
  count: number;
  /** In milliseconds of the clock that callers pass. */
  readonly endsAt: number;
}

/** Words of a key: a digest, of which 128 bits are enough to be unique. */
export const keyWords = 4;

/** Ended windows cleared when a new one begins: more than one, so that their number shrinks. */
const clearedAtOnce = 4;
const none = -1;

/**
 * Counters over windows of one length, for at most `mostKeys` keys at a time. They are kept in typed arrays, 40 bytes
 * each, instead of objects: a flood of keys creates no garbage, and only the memory in use is touched. All windows are
 * equally long, so they end in the order in which they began, and a list in that order finds ended ones without timers.
 */
export class WindowCounters {
  readonly #windowMilliseconds: number;
  readonly #mostKeys: number;
  /** By the key's first word: the index of the first counter of a chain, plus one (0: none). */
  readonly #heads: Uint32Array;
  /** The next counter of the chain, or of the free list. */
  readonly #next: Int32Array;
  readonly #keys: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #endsAt: Float64Array;
  readonly #earlier: Int32Array;
  readonly #later: Int32Array;
  #first = none;
  #last = none;
  #free = none;
  /** Number of counters that were ever used: those beyond are free as well. */
  #touched = 0;
  #size = 0;

  constructor(windowMilliseconds: number, mostKeys: number) {
    this.#windowMilliseconds = windowMilliseconds;
    this.#mostKeys = mostKeys;
    this.#heads = new Uint32Array(2 ** Math.ceil(Math.log2(mostKeys)));
    this.#next = new Int32Array(mostKeys);
    this.#keys = new Uint32Array(mostKeys * keyWords);
    this.#counts = new Uint32Array(mostKeys);
    this.#endsAt = new Float64Array(mostKeys);
    this.#earlier = new Int32Array(mostKeys);
    this.#later = new Int32Array(mostKeys);
  }

  /** Number of keys held. */
  get size(): number {
    return this.#size;
  }

  /** The counter of a current window. It must not be used once its place belongs to another key. */
  find(key: Uint32Array, now: number): Counter | null {
    const at = this.#indexOf(key);
    if (at === none) return null;
    if (this.#at(this.#endsAt, at) > now) return this.#counter(at);
    this.#remove(at);
    return null;
  }

  /** Whether a window of another key can begin. */
  hasRoom(now: number): boolean {
    for (let cleared = 0; cleared < clearedAtOnce && this.#first !== none; cleared += 1) {
      if (this.#at(this.#endsAt, this.#first) > now) break;
      this.#remove(this.#first);
    }
    return this.#size < this.#mostKeys;
  }

  /** Begins an empty window for a key that `find` does not find; only if `hasRoom` is true. */
  begin(key: Uint32Array, now: number): Counter {
    const at = this.#take();
    const head = this.#headOf(this.#at(key, 0));
    this.#keys.set(key, at * keyWords);
    this.#next[at] = this.#at(this.#heads, head) - 1;
    this.#heads[head] = at + 1;
    this.#counts[at] = 0;
    this.#endsAt[at] = now + this.#windowMilliseconds;
    this.#earlier[at] = this.#last;
    this.#later[at] = none;
    if (this.#last === none) this.#first = at;
    else this.#later[this.#last] = at;
    this.#last = at;
    this.#size += 1;
    return this.#counter(at);
  }

  remove(key: Uint32Array): void {
    const at = this.#indexOf(key);
    if (at !== none) this.#remove(at);
  }

  /** Takes a free place. */
  #take(): number {
    if (this.#free === none) return this.#touched++;
    const at = this.#free;
    this.#free = this.#at(this.#next, at);
    return at;
  }

  #remove(at: number): void {
    const head = this.#headOf(this.#at(this.#keys, at * keyWords));
    const next = this.#at(this.#next, at);
    let before = this.#at(this.#heads, head) - 1;
    if (before === at) this.#heads[head] = next + 1;
    else {
      while (this.#at(this.#next, before) !== at) before = this.#at(this.#next, before);
      this.#next[before] = next;
    }
    const [earlier, later] = [this.#at(this.#earlier, at), this.#at(this.#later, at)];
    if (earlier === none) this.#first = later;
    else this.#later[earlier] = later;
    if (later === none) this.#last = earlier;
    else this.#earlier[later] = earlier;
    this.#next[at] = this.#free;
    this.#free = at;
    this.#size -= 1;
  }

  #indexOf(key: Uint32Array): number {
    let at = this.#at(this.#heads, this.#headOf(this.#at(key, 0))) - 1;
    while (at !== none && !this.#isAt(at, key)) at = this.#at(this.#next, at);
    return at;
  }

  #isAt(at: number, key: Uint32Array): boolean {
    const start = at * keyWords;
    for (let word = 0; word < keyWords; word += 1) if (this.#keys[start + word] !== key[word]) return false;
    return true;
  }

  #headOf(word: number): number {
    return word & (this.#heads.length - 1);
  }

  #counter(at: number): Counter {
    const [counts, ends, endsAt] = [this.#counts, this.#endsAt, this.#at(this.#endsAt, at)];
    return {
      endsAt,
      get count() {
        return ends[at] === endsAt ? (counts[at] ?? 0) : 0;
      },
      set count(count) {
        counts[at] = count;
      },
    };
  }

  /** Indices are made by this class, so the value always exists. */
  #at(numbers: Uint32Array | Int32Array | Float64Array, index: number): number {
    return numbers[index] as number;
  }
}
