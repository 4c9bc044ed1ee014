/** The part of the Fetch standard that functions need: bodies are text or bytes, read in full. */

import type { FetchAnswer, FetchAsked } from '../../protocol.ts';
import { limits } from '../../protocol.ts';
import type { AbortSignal } from './abort.ts';
import { Headers } from './headers.ts';
import { forget, post } from './host.ts';
import { bytesOf, fromBase64, TextDecoder, TextEncoder, toBase64 } from './text.ts';
import { URL } from './url.ts';
import { URLSearchParams } from './url-search-params.ts';

interface Init {
  readonly method?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly redirect?: unknown;
  readonly signal?: AbortSignal | null;
}

/** What requests and responses have in common. */
class Message {
  readonly headers: Headers;
  readonly #body: Uint8Array | null;
  #isUsed = false;

  constructor(headers: unknown, body: unknown) {
    this.headers = new Headers(headers);
    const { bytes, type } = readBody(body);
    this.#body = bytes;
    if (type !== null && !this.headers.has('content-type')) this.headers.set('content-type', type);
  }

  get bodyUsed(): boolean {
    return this.#isUsed;
  }
  async bytes(): Promise<Uint8Array> {
    if (this.#isUsed) throw new TypeError('Body is unusable: Body has already been read');
    this.#isUsed = true;
    return this.#body ?? new Uint8Array(0);
  }
  async arrayBuffer(): Promise<ArrayBufferLike> {
    return (await this.bytes()).slice().buffer;
  }
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
  protected get content(): Uint8Array | null {
    return this.#body;
  }
}

function readBody(body: unknown): { readonly bytes: Uint8Array | null; readonly type: string | null } {
  if (body === undefined || body === null) return { bytes: null, type: null };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { bytes: bytesOf(body).slice(), type: null };
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? 'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8';
  return { bytes: new TextEncoder().encode(String(body)), type };
}

export class Request extends Message {
  readonly url: string;
  readonly method: string;
  readonly redirect: string;
  readonly signal: AbortSignal | null;

  constructor(input: unknown, init: Init = {}) {
    const from = input instanceof Request ? input : null;
    super(init.headers ?? from?.headers, init.body ?? from?.content);
    this.url = from?.url ?? new URL(input).href;
    this.method = String(init.method ?? from?.method ?? 'GET');
    if (/^(?:delete|get|head|options|post|put)$/i.test(this.method)) this.method = this.method.toUpperCase();
    this.redirect = String(init.redirect ?? from?.redirect ?? 'follow');
    if (!['follow', 'manual', 'error'].includes(this.redirect))
      throw new TypeError('redirect must be follow, manual or error');
    this.signal = init.signal ?? from?.signal ?? null;
    if (this.content !== null && (this.method === 'GET' || this.method === 'HEAD')) {
      throw new TypeError('Request with GET/HEAD method cannot have body.');
    }
    if (this.content !== null && this.content.length > limits.fetchBodyBytes) {
      throw new TypeError(`a request body must have at most ${limits.fetchBodyBytes} bytes`);
    }
  }

  /** In the form sent to the host. */
  asked(): FetchAsked {
    const body = this.content === null ? null : toBase64(this.content);
    return { url: this.url, method: this.method, headers: [...this.headers], body, redirect: this.redirect };
  }
}

interface ResponseInit {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: unknown;
}

export class Response extends Message {
  readonly status: number;
  readonly statusText: string;
  readonly url: string = '';
  readonly redirected: boolean = false;

  constructor(body?: unknown, { status = 200, statusText = '', headers }: ResponseInit = {}) {
    super(headers, body);
    this.status = status;
    this.statusText = statusText;
  }

  static json(value: unknown, init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(JSON.stringify(value), { ...init, headers });
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }
  clone(): Response {
    if (this.bodyUsed) throw new TypeError('Response.clone: Body has already been consumed.');
    const { status, statusText, headers } = this;
    return Object.assign(new Response(this.content, { status, statusText, headers }), {
      url: this.url,
      redirected: this.redirected,
    });
  }
}

let fetches = 0;

export function fetch(input: unknown, init?: Init): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal?.throwIfAborted();
    fetches += 1;
    if (fetches > limits.fetches) throw refusal(`too_many_requests: a run makes at most ${limits.fetches}`);
    const id = post('fetch', request.asked(), (text) => {
      const answer = JSON.parse(text) as FetchAnswer;
      if ('refused' in answer) return reject(refusal(answer.refused));
      const { status, headers, url, redirected } = answer;
      return resolve(Object.assign(new Response(fromBase64(answer.body), { status, headers }), { url, redirected }));
    });
    signal?.addEventListener('abort', () => {
      forget(id);
      reject(signal.reason);
    });
  });
}

/** As in Node, the error's `cause` says what went wrong. */
function refusal(code: string): TypeError {
  return new TypeError(`fetch failed: ${code}`, { cause: Object.assign(new Error(code), { code }) });
}
