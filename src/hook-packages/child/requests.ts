/** Requests to the registry, made by the service: this process has no network. */

import { type FromFetch, limits, type ToFetch } from '../protocol.ts';
import { PackageRefusal } from './refusal.ts';
import type { Get } from './registry.ts';

type Got = Extract<ToFetch, { op: 'got' }>;

export interface Requests {
  readonly get: Get;
  /** Handles an answer from the service. */
  settle(got: Got, body: Buffer): void;
}

/** A message for the hook's author. */
function check({ status, failure }: Got, label: string): void {
  if (failure === 'response_too_large') throw new PackageRefusal(`${label} is larger than 16 MiB`);
  if (failure === 'redirect_forbidden' || failure === 'host_forbidden') {
    throw new PackageRefusal(`the registry redirects to another place for ${label}`);
  }
  if (failure !== null) throw new PackageRefusal(`the registry could not be read for ${label} (${failure})`, false);
  if ([403, 404, 410, 451].includes(status)) throw new PackageRefusal(`the registry has no ${label}`);
  if (status >= 400 && status < 500 && status !== 429) throw new PackageRefusal(`the registry refuses ${label}`);
  if (status !== 200) throw new PackageRefusal(`the registry could not be read for ${label} (${status})`, false);
}

/** Sends as many requests at once as the service allows; the rest wait. */
export function createRequests(say: (message: FromFetch) => void): Requests {
  const open = new Map<number, (got: Got, body: Buffer) => void>();
  const waiting: (() => void)[] = [];
  let last = 0;

  function next(): void {
    while (open.size < limits.requestsAtOnce && waiting.length > 0) waiting.shift()?.();
  }

  return {
    get: (url, accept, label) =>
      new Promise((fulfil, reject) => {
        waiting.push(() => {
          last += 1;
          open.set(last, (got, body) => {
            try {
              check(got, label);
              fulfil(body);
            } catch (error) {
              reject(error);
            }
          });
          say({ op: 'get', id: last, url, accept });
        });
        next();
      }),
    settle(got, body) {
      const settle = open.get(got.id);
      open.delete(got.id);
      settle?.(got, body);
      next();
    },
  };
}
