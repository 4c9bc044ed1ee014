/** `URLSearchParams` of the WHATWG URL standard; changes to a `URL`'s parameters update the `URL`. */

type Pair = [name: string, value: string];

// Assigned by the class below; only it can reach its lists.
export let follow: (parameters: URLSearchParams, changed: (search: string) => void) => void;
export let refill: (parameters: URLSearchParams, search: string) => void;

export class URLSearchParams {
  #pairs: Pair[];
  // biome-ignore lint/style/useReadonlyClassProperties: assigned in the static block
  #changed: ((search: string) => void) | null = null;

  static {
    follow = (parameters, changed) => {
      parameters.#changed = changed;
    };
    refill = (parameters, search) => {
      parameters.#pairs = readPairs(search);
    };
  }

  constructor(init: unknown = '') {
    this.#pairs = readPairs(init);
  }

  get size(): number {
    return this.#pairs.length;
  }
  append(name: unknown, value: unknown): void {
    this.#replace([...this.#pairs, [String(name), String(value)]]);
  }
  delete(name: unknown, value?: unknown): void {
    const isMeant = (pair: Pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value));
    this.#replace(this.#pairs.filter((pair) => !isMeant(pair)));
  }
  get(name: unknown): string | null {
    return this.getAll(name)[0] ?? null;
  }
  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]);
  }
  has(name: unknown, value?: unknown): boolean {
    return this.getAll(name).some((found) => value === undefined || found === String(value));
  }
  set(name: unknown, value: unknown): void {
    const at = this.#pairs.findIndex((pair) => pair[0] === String(name));
    const others = this.#pairs.filter((pair, index) => index === at || pair[0] !== String(name));
    const pair: Pair = [String(name), String(value)];
    this.#replace(at === -1 ? [...others, pair] : others.with(at, pair));
  }
  sort(): void {
    this.#replace(this.#pairs.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
  }
  forEach(action: (value: string, name: string, all: URLSearchParams) => void): void {
    for (const [name, value] of this.#pairs) action(value, name, this);
  }
  keys(): IterableIterator<string> {
    return this.#pairs.map(([name]) => name).values();
  }
  values(): IterableIterator<string> {
    return this.#pairs.map(([, value]) => value).values();
  }
  entries(): IterableIterator<Pair> {
    return this.#pairs.map(([name, value]): Pair => [name, value]).values();
  }
  [Symbol.iterator](): IterableIterator<Pair> {
    return this.entries();
  }
  toString(): string {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  }

  #replace(pairs: Pair[]): void {
    this.#pairs = pairs;
    this.#changed?.(this.toString());
  }
}

function readPairs(init: unknown): Pair[] {
  if (typeof init === 'object' && init !== null) {
    const pairs = Symbol.iterator in init ? [...(init as Iterable<Iterable<unknown>>)] : Object.entries(init);
    return pairs.map((pair) => {
      const [name, value, ...more] = pair;
      if (value === undefined || more.length > 0) throw new TypeError('Each query pair must be a name and a value');
      return [String(name), String(value)];
    });
  }
  const text = String(init).replace(/^\?/, '');
  const parts = text.split('&').filter((part) => part !== '');
  return parts.map((part) => {
    const at = part.indexOf('=');
    return at === -1 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
  });
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return spaced;
  }
}

function encode(text: string): string {
  const escaped = encodeURIComponent(text.toWellFormed());
  return escaped
    .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
