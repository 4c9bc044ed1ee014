/** What `require` finds: the function's packages, and Node modules that need no operating system. */

import { crypto } from './crypto.ts';
import { format } from './format.ts';
import { inspect } from './inspect.ts';
// biome-ignore lint/correctness/useImportExtensions: its types stand in shims.d.cts
import shims from './shims.cjs';
import * as timers from './timers.ts';
import { URL } from './url.ts';
import { URLSearchParams } from './url-search-params.ts';

type Load = () => unknown;

const loaded = new Map<string, unknown>();

const timersModule = {
  setTimeout: timers.setTimeout,
  setInterval: timers.setInterval,
  setImmediate: timers.setImmediate,
  clearTimeout: timers.clearTimer,
  clearInterval: timers.clearTimer,
  clearImmediate: timers.clearTimer,
};

const own: Readonly<Record<string, Load>> = {
  __proto__: null as never,
  ...shims,
  crypto: () => crypto,
  timers: () => timersModule,
  'timers/promises': () => ({
    setTimeout: (delay: unknown, value: unknown) =>
      new Promise((resolve) => timers.setTimeout(() => resolve(value), delay)),
  }),
  url: () => ({ ...(shims['url']?.() as object), URL, URLSearchParams }),
  util: () => ({ ...(shims['util']?.() as object), inspect, format }),
};

/** A Node module, the same object each time; undefined when functions have no module of that name. */
export function builtin(name: string): unknown {
  const known = name.startsWith('node:') ? name.slice(5) : name;
  const load = own[known];
  if (load === undefined) return undefined;
  if (!loaded.has(known)) loaded.set(known, load());
  return loaded.get(known);
}

/** Makes `require` for the packages that the function was built with. */
export function createRequire(packages: Readonly<Record<string, Load>> | undefined): (name: unknown) => unknown {
  const made = new Map<string, unknown>();
  return (name) => {
    const key = String(name);
    if (packages && Object.hasOwn(packages, key)) {
      if (!made.has(key)) made.set(key, packages[key]?.());
      return made.get(key);
    }
    const found = builtin(key);
    if (found !== undefined) return found;
    throw Object.assign(new Error(`Cannot find module '${key}'`), { code: 'MODULE_NOT_FOUND' });
  };
}
