/** Which verbs read on `Engine.reading`, and how many of them at a time. */

import { Failure } from '../../domain/failure.ts';
import type { StoreVerbs } from '../store.ts';
import type { Around } from './guard.ts';

/**
 * Those whose cost grows with the rows that an account has: lists, searches, totals and exports. What is found by a key,
 * and what an account has few of, is read quicker than a thread is asked.
 */
export const readingVerbs = {
  users: ['list', 'page'],
  roles: ['list', 'page', 'linked'],
  clients: ['pageApps', 'pageOfUser', 'pageOfRole', 'sweepOpen'],
  callers: ['listCredentials', 'pageCredentials', 'listApiKeys', 'pageApiKeys'],
  authorizationServers: ['page', 'pageScopes', 'pageClaims', 'pageLinks'],
  attributes: ['page'],
  policies: ['page'],
  events: ['page', 'listAfter', 'listBefore'],
  counts: ['list'],
  hooks: ['page'],
  hookVariables: ['page'],
  hookExecutions: ['page'],
} as const satisfies { readonly [Group in keyof StoreVerbs]?: readonly (keyof StoreVerbs[Group])[] };

/** The verbs of `verbs`, but those that read many rows, which are those of `reading`. */
export function withReading(verbs: StoreVerbs, reading: StoreVerbs): StoreVerbs {
  const replaced = Object.entries(readingVerbs).map(([group, names]) => {
    const [usual, other] = [verbs, reading].map((all) => Object.entries(all[group as keyof StoreVerbs]));
    const chosen = other?.filter(([name]) => (names as readonly string[]).includes(name));
    return [group, Object.fromEntries([...(usual ?? []), ...(chosen ?? [])])];
  });
  return { ...verbs, ...Object.fromEntries(replaced) };
}

/** Reads that are under way or wait for others: more would only wait longer than whoever asked. */
const mostReads = 100;

/** Runs up to so many works at a time; the next one is refused with `unavailable`. */
export function bounded(around: Around): Around {
  let running = 0;
  return async (work) => {
    if (running >= mostReads) {
      throw new Failure('unavailable', { retryAfterSeconds: 1, reason: 'too many lists are being read' });
    }
    running += 1;
    try {
      return await around(work);
    } finally {
      running -= 1;
    }
  };
}
