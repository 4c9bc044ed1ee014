/** Gives a run's global object what functions expect and removes what must not be there. */

import { AbortController, AbortSignal } from './abort.ts';
import { console } from './console.ts';
import { crypto } from './crypto.ts';
import { fetch, Request, Response } from './fetch.ts';
import { Headers } from './headers.ts';
import { builtin } from './modules.ts';
import { atob, btoa, TextDecoder, TextEncoder } from './text.ts';
import * as timers from './timers.ts';
import { URL } from './url.ts';
import { URLSearchParams } from './url-search-params.ts';

// Memory that the isolate's limit does not count, and waits that no timeout ends.
const removed = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'];

const added = {
  console,
  fetch,
  atob,
  btoa,
  queueMicrotask: timers.queueMicrotask,
  setTimeout: timers.setTimeout,
  setInterval: timers.setInterval,
  setImmediate: timers.setImmediate,
  clearTimeout: timers.clearTimer,
  clearInterval: timers.clearTimer,
  clearImmediate: timers.clearTimer,
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  crypto,
};

export function furnish(): void {
  const target = globalThis as Record<string, unknown>;
  for (const name of removed) delete target[name];
  for (const [name, value] of Object.entries(added)) define(name, { value, writable: true });
  define('global', { value: globalThis, writable: true });
  // Large and rarely used.
  define('Buffer', {
    get: () => (builtin('buffer') as { Buffer: unknown }).Buffer,
    set: (value) => define('Buffer', { value, writable: true }),
  });
}

function define(name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, ...descriptor });
}

/** `process` with the function's linked variables and nothing of the service; only the major version is real. */
export function defineProcess(variables: Readonly<Record<string, string>>, node: string): void {
  const env = Object.freeze(Object.assign(Object.create(null), variables));
  const nextTick = (action: (...values: unknown[]) => void, ...values: unknown[]) =>
    timers.queueMicrotask(() => action(...values));
  const process = { env, version: `v${node}`, versions: Object.freeze({ node }), argv: [], nextTick };
  define('process', { value: Object.freeze(process), writable: false });
}
