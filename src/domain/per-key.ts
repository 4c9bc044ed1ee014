/**
 * What is kept in memory for each key, such as a port of the process, which has one of each: applications of one process
 * share nothing. It is made when first asked for, and goes with its key.
 */
export function perKey<Key extends object, Value>(make: () => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };
}
