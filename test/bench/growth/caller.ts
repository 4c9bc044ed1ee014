/** One installation as the requests of the operations see it. */

import type { Sent } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import type { TimedAnswer, Wire } from '../../support/wire.ts';
import type { Grown } from './seed.ts';

export interface Caller {
  readonly grown: Grown;
  /** Sends a request; redirects are not followed. Throws unless the answer is a success or a redirect. */
  call(method: string, path: string, sent?: Sent): Promise<TimedAnswer>;
  /** The same, where the answer is a refusal. */
  refused(method: string, path: string): Promise<TimedAnswer>;
  /** As `call`, and throws unless the answer is one that the contract documents. */
  send(method: string, path: string, sent?: Sent): Promise<TimedAnswer>;
  /** The same as an administrator of `/api/2`; answers the body. */
  // biome-ignore lint/suspicious/noExplicitAny: the contract says what an answer holds
  manage(method: string, path: string, json?: unknown): Promise<any>;
  /** The result of the first `make` for this name. */
  once<Made>(name: string, make: () => Promise<Made>): Promise<Made>;
  /** A number that no earlier call answered. */
  next(): number;
}

export interface Ask {
  readonly path: string;
  readonly sent?: Sent;
}

/** Brings about what a request needs, unmeasured, and answers the request. */
export type Prepare = (caller: Caller) => Ask | Promise<Ask>;

/** One way to use an operation. */
export interface Variant {
  readonly prepare: Prepare;
  /** Why no bound holds it: what it does grows with what there is, by its contract. */
  readonly grows?: string;
  /** Removes what was created, unmeasured, where an account may have only a limited number. */
  readonly undo?: (caller: Caller, answer: Answer) => Promise<unknown>;
}

/** One or more ways to use an operation, by their names. */
export type Variants = Prepare | Variant | Readonly<Record<string, Prepare | Variant>>;

/** A request for every operation of a surface. */
export type RequestsOf<Operations> = { readonly [Name in keyof Operations]: Variants };

/** Throws for an unsuccessful answer. */
function requireSuccess<Received extends Answer>(method: string, path: string, answer: Received): Received {
  if (answer.status < 400) return answer;
  throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
}

export function createCaller(wire: Wire, grown: Grown): Caller {
  const kept = new Map<string, Promise<unknown>>();
  let last = 0;
  const send: Caller['send'] = async (method, path, sent) =>
    requireSuccess(method, path, await wire.send(method, path, sent));
  return {
    grown,
    call: async (method, path, sent) => requireSuccess(method, path, await wire.call(method, path, sent)),
    refused: async (method, path) => {
      const answer = await wire.call(method, path);
      if (answer.status < 400) throw new Error(`${method} ${path}: ${answer.status}, not a refusal`);
      return answer;
    },
    send,
    manage: async (method, path, json) =>
      (await send(method, `/api/2${path}`, { headers: { authorization: grown.bearer }, json })).body,
    once: <Made>(name: string, make: () => Promise<Made>) => {
      const made = (kept.get(name) ?? make()) as Promise<Made>;
      kept.set(name, made);
      return made;
    },
    next: () => {
      last += 1;
      return last;
    },
  };
}

/** A request of an administrator. */
export function managed({ grown }: Caller, path: string, json?: unknown): Ask {
  return { path: `/api/2${path}`, sent: { headers: { authorization: grown.bearer }, json } };
}

/** A request of an administrator that needs nothing but its path and body. */
export const manage =
  (write: (caller: Caller) => readonly [path: string, json?: unknown]): Prepare =>
  (caller) =>
    managed(caller, ...write(caller));

export const counts = 'its first page counts the whole list';

/** The first page of a list, and the page that its cursor leads to: the list must have more than `limit` items. */
export function pages(
  pathOf: (caller: Caller) => string | Promise<string>,
  { query = '', limit = 50 } = {},
): Readonly<Record<string, Prepare | Variant>> {
  const first = async (caller: Caller) => `${await pathOf(caller)}?limit=${limit}${query && `&${query}`}`;
  const name = query && `${decodeURIComponent(query)}, `;
  return {
    [`${name}first page`]: { prepare: async (caller) => managed(caller, await first(caller)), grows: counts },
    [`${name}by cursor`]: async (caller) => {
      const path = await first(caller);
      const cursor = await caller.once(`cursor of ${path}`, async () => {
        const { headers } = await caller.send('GET', `/api/2${path}`, managed(caller, path).sent);
        return headers['after-cursor'];
      });
      if (typeof cursor !== 'string') throw new Error(`${path} has no second page`);
      return managed(caller, `${await pathOf(caller)}?cursor=${encodeURIComponent(cursor)}`);
    },
  };
}
