/** What holds the functions of a noun until one of them is used. */
interface Held {
  readonly make: () => object;
  made: object | null;
}

function madeOf(held: Held): object {
  held.made ??= held.make();
  return held.made;
}

const refuse = () => false;

const handler: ProxyHandler<Held> = {
  get: (held, name) => Reflect.get(madeOf(held), name),
  has: (held, name) => Reflect.has(madeOf(held), name),
  ownKeys: (held) => Reflect.ownKeys(madeOf(held)),
  getOwnPropertyDescriptor: (held, name) => Reflect.getOwnPropertyDescriptor(madeOf(held), name),
  // What was written would be kept where nobody reads it.
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
};

/**
 * What `make` returns, made when it is first looked into: a transaction has the functions of all nouns, some 300, and
 * uses those of a few.
 */
export function lazily<Verbs extends object>(make: () => Verbs): Verbs {
  const held: Held = { make, made: null };
  return new Proxy(held, handler) as unknown as Verbs;
}
