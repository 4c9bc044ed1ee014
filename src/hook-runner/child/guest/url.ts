/** `URL`, parsed by the host (WHATWG URL). */

import { ask } from './host.ts';
import { follow, refill, URLSearchParams } from './url-search-params.ts';

/** The host's answer for a URL. */
interface Parts {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

type Changeable = Exclude<keyof Parts, 'origin'>;

export class URL {
  #parts: Parts;
  readonly #searchParams: URLSearchParams;

  constructor(address: unknown, base?: unknown) {
    this.#parts = parse(address, base);
    this.#searchParams = new URLSearchParams(this.#parts.search);
    follow(this.#searchParams, (search) => {
      this.#parts = ask<Parts>('url-change', [this.#parts.href, 'search', search]);
    });
  }

  static canParse(address: unknown, base?: unknown): boolean {
    return URL.parse(address, base) !== null;
  }

  static parse(address: unknown, base?: unknown): URL | null {
    try {
      return new URL(address, base);
    } catch {
      return null;
    }
  }

  #change(member: Changeable, value: unknown): void {
    this.#parts = ask<Parts>('url-change', [this.#parts.href, member, String(value)]);
    refill(this.#searchParams, this.#parts.search);
  }

  get searchParams(): URLSearchParams {
    return this.#searchParams;
  }
  get origin(): string {
    return this.#parts.origin;
  }
  get href(): string {
    return this.#parts.href;
  }
  set href(value: unknown) {
    this.#change('href', value);
  }
  get protocol(): string {
    return this.#parts.protocol;
  }
  set protocol(value: unknown) {
    this.#change('protocol', value);
  }
  get username(): string {
    return this.#parts.username;
  }
  set username(value: unknown) {
    this.#change('username', value);
  }
  get password(): string {
    return this.#parts.password;
  }
  set password(value: unknown) {
    this.#change('password', value);
  }
  get host(): string {
    return this.#parts.host;
  }
  set host(value: unknown) {
    this.#change('host', value);
  }
  get hostname(): string {
    return this.#parts.hostname;
  }
  set hostname(value: unknown) {
    this.#change('hostname', value);
  }
  get port(): string {
    return this.#parts.port;
  }
  set port(value: unknown) {
    this.#change('port', value);
  }
  get pathname(): string {
    return this.#parts.pathname;
  }
  set pathname(value: unknown) {
    this.#change('pathname', value);
  }
  get search(): string {
    return this.#parts.search;
  }
  set search(value: unknown) {
    this.#change('search', value);
  }
  get hash(): string {
    return this.#parts.hash;
  }
  set hash(value: unknown) {
    this.#change('hash', value);
  }
  toString(): string {
    return this.#parts.href;
  }
  toJSON(): string {
    return this.#parts.href;
  }
}

function parse(address: unknown, base: unknown): Parts {
  const text = String(address);
  try {
    return ask<Parts>('url', base === undefined ? [text] : [text, String(base)]);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: text });
  }
}
