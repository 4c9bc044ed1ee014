/** Which verbs read on `Engine.reading`, and how many of them at a time. */

import { Failure } from '../../domain/failure.ts';
import type { ListQuery } from '../listing.ts';
import type { StoreVerbs } from '../store.ts';
import type { Around } from './guard.ts';

/**
 * Those whose cost grows with the rows that an account has: lists, searches, totals and exports. What is found by a key,
 * and what an account has few of, is read quicker than a thread is asked.
 */
export const readingVerbs = {
  users: ['list', 'page'],
  roles: ['page', 'linked'],
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

/** Rows of a page that would take as long to hand over from a thread as to read. */
const shortPage = 100;

/** A page next to a position, by an index alone. */
function isShort(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || !('filters' in given)) return false;
  const { at, filters, limit } = given as ListQuery;
  return !('page' in at) && filters.length === 0 && limit <= shortPage;
}

type Verb = (...given: readonly unknown[]) => Promise<unknown>;

function choosing(usual: Verb, reading: Verb): Verb {
  // A query that is given third is about what belongs to something, which is a filter.
  return (...given) => (isShort(given[1]) ? usual : reading)(...given);
}

/** The verbs of `usual`; those that read many rows are `reading`'s, but for short pages. */
export function withReading(usual: StoreVerbs, reading: StoreVerbs): StoreVerbs {
  const instead = new Map(Object.entries(reading));
  const groups = Object.entries(usual).map(([group, members]) => {
    const names: readonly string[] = Object.hasOwn(readingVerbs, group)
      ? readingVerbs[group as keyof typeof readingVerbs]
      : [];
    const others = new Map(Object.entries<Verb>(instead.get(group)));
    const chosen = Object.entries<Verb>(members).map(([name, verb]) => {
      const other = names.includes(name) ? others.get(name) : undefined;
      return [name, other ? choosing(verb, other) : verb];
    });
    return [group, Object.fromEntries(chosen)];
  });
  return Object.fromEntries(groups) as StoreVerbs; // Same groups, same verbs.
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
