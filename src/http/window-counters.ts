/** What was counted in the window that began with the first count. */
export interface Counter {
  count: number;
  /** In milliseconds of the clock that callers pass. */
  readonly endsAt: number;
}

/** A key: a digest, of which 128 bits tell one from the other. */
export const keyWords = 4;

/** Ended windows that the beginning of a new one clears away: more than one, so that they become fewer. */
const clearedAtOnce = 4;
const none = -1;

/**
 * Counters over windows of one length, for at most `mostKeys` keys at a time. They stand in arrays of numbers, 40 bytes
 * each, and not in objects: a flood of keys leaves nothing for the garbage collector, and memory is touched only as
 * far as it is used. All windows being equally long, they end in the order in which they began: a list in that order
 * finds the ended ones without a timer for each.
 */
export class WindowCounters {
  readonly #windowMilliseconds: number;
  readonly #mostKeys: number;
  /** By the key's first word: the first counter of a chain, plus one (0: none). */
  readonly #heads: Uint32Array;
  /** The next counter of the chain, or of those that are free. */
  readonly #next: Int32Array;
  readonly #keys: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #endsAt: Float64Array;
  readonly #earlier: Int32Array;
  readonly #later: Int32Array;
  #first = none;
  #last = none;
  #free = none;
  /** Counters that were ever used: those from here on are free as well. */
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

  /** Keys that are kept. */
  get size(): number {
    return this.#size;
  }

  /** The counter of a window that lasts. It counts nothing once its place is another's. */
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

  /** Begins the window of a key that `find` does not find, with nothing counted, where `hasRoom` says so. */
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

  /** A place that is free. */
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

  /** Indices are those of this class: there is always a number. */
  #at(numbers: Uint32Array | Int32Array | Float64Array, index: number): number {
    return numbers[index] as number;
  }
}
