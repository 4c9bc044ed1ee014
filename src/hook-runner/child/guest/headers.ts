/** `Headers` of the Fetch standard: names are case-insensitive, values of one name are joined. */

export class Headers {
  readonly #values = new Map<string, string>();

  constructor(init?: unknown) {
    if (init === undefined || init === null) return;
    const pairs = Symbol.iterator in Object(init) ? [...(init as Iterable<[unknown, unknown]>)] : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name: unknown, value: unknown): void {
    const former = this.#values.get(nameOf(name));
    this.#values.set(nameOf(name), former === undefined ? textOf(value) : `${former}, ${textOf(value)}`);
  }
  set(name: unknown, value: unknown): void {
    this.#values.set(nameOf(name), textOf(value));
  }
  get(name: unknown): string | null {
    return this.#values.get(nameOf(name)) ?? null;
  }
  has(name: unknown): boolean {
    return this.#values.has(nameOf(name));
  }
  delete(name: unknown): void {
    this.#values.delete(nameOf(name));
  }
  forEach(action: (value: string, name: string, all: Headers) => void): void {
    for (const [name, value] of this.entries()) action(value, name, this);
  }
  entries(): IterableIterator<[string, string]> {
    return [...this.#values].toSorted(([one], [other]) => (one < other ? -1 : 1)).values();
  }
  keys(): IterableIterator<string> {
    return [...this.entries()].map(([name]) => name).values();
  }
  values(): IterableIterator<string> {
    return [...this.entries()].map(([, value]) => value).values();
  }
  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

function nameOf(name: unknown): string {
  const text = String(name);
  if (/^[!#$%&'*+.^_`|~\w-]+$/.test(text)) return text.toLowerCase();
  throw new TypeError(`${text} is an invalid header name`);
}

function textOf(value: unknown): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (!/[\0\n\r]|[^\0-\xff]/.test(text)) return text;
  throw new TypeError('invalid header value');
}
