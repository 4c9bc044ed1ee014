/** A bounded cache in memory, divided into shares, so that one heavy user does not displace the values of others. */

interface Entry<Value> {
  readonly value: Value;
  usedAt: number;
}

export interface SharedRoom<Value> {
  get(share: string, key: string): Value | undefined;
  /** When the cache is full, the least recently used value of the largest share is dropped. */
  set(share: string, key: string, value: Value): void;
  delete(share: string, key: string): void;
}

/** A cache of at most `most` values. A share that holds less than an equal part loses nothing to the others. */
export function createSharedRoom<Value>(most: number): SharedRoom<Value> {
  const shares = new Map<string, Map<string, Entry<Value>>>();
  let count = 0;
  let uses = 0;

  function remove(share: string, key: string): void {
    const own = shares.get(share);
    if (!own?.delete(key)) return;
    count -= 1;
    if (own.size === 0) shares.delete(share);
  }

  function makeRoom(): void {
    const [share, entries] = [...shares].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    const [key] = [...entries].reduce((one, other) => (other[1].usedAt < one[1].usedAt ? other : one));
    remove(share, key);
  }

  return {
    get(share, key) {
      const entry = shares.get(share)?.get(key);
      if (!entry) return undefined;
      uses += 1;
      entry.usedAt = uses;
      return entry.value;
    },
    set(share, key, value) {
      remove(share, key);
      if (count >= most) makeRoom();
      const own = shares.get(share) ?? new Map<string, Entry<Value>>();
      uses += 1;
      shares.set(share, own.set(key, { value, usedAt: uses }));
      count += 1;
    },
    delete: remove,
  };
}
