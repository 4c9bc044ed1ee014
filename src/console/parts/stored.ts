/** A value that several parts of the page look at: whoever uses it is drawn again when it changes. */

import { useEffect, useState } from 'preact/hooks';

export interface Stored<Value> {
  get(): Value;
  set(value: Value): void;
  watch(listener: () => void): () => void;
}

export function stored<Value>(first: Value): Stored<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function useStored<Value>(source: Stored<Value>): Value {
  const [value, setValue] = useState(source.get());
  useEffect(() => {
    const read = () => setValue(() => source.get());
    // It may have changed between drawing and watching.
    read();
    return source.watch(read);
  }, [source]);
  return value;
}
