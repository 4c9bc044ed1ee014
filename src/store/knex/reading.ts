/** Which functions read on `Engine.reading`, and how many at a time. */

import { Failure } from '../../domain/failure.ts';
import type { ListQuery } from '../listing.ts';
import type { StoreVerbs } from '../store.ts';
import type { Around } from './guard.ts';

/**
 * Functions whose cost grows with the rows of an account: lists, searches, totals and exports. A lookup by key, or a
 * read of what an account has few of, is faster than sending it to a thread.
 */
export const readingVerbs = {
  users: ['list', 'page'],
  roles: ['page', 'linked'],
  clients: ['pageApps', 'pageOfUser', 'pageOfRole', 'sweepOpen'],
  administrators: ['page'],
  sessions: ['pageOfUser'],
  authorizations: ['pageConsents'],
  grants: ['pageLive'],
  callers: ['listCredentials', 'pageCredentials', 'listApiKeys', 'pageApiKeys'],
  authorizationServers: ['page', 'pageScopes', 'pageClaims', 'pageLinks'],
  attributes: ['page'],
  policies: ['page'],
  events: ['page', 'listAfter', 'listBefore'],
  counts: ['list', 'listOfAccount', 'listUses', 'lastUses'],
  hooks: ['page'],
  hookVariables: ['page'],
  hookExecutions: ['page'],
} as const satisfies { readonly [Group in keyof StoreVerbs]?: readonly (keyof StoreVerbs[Group])[] };

/** For a page this short, handing it over from a thread would take as long as reading it. */
const shortPage = 100;

/** A slice that is found by its ids, or a page next to a position, read by an index alone. */
function isShort(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || !('filters' in given)) return false;
  const { at, filters, limit, part } = given as ListQuery;
  if (part !== undefined && part !== 'ids') return true;
  return !('page' in at) && filters.length === 0 && limit <= shortPage;
}

type Verb = (...given: readonly unknown[]) => Promise<unknown>;

function choosing(usual: Verb, reading: Verb): Verb {
  // The third argument restricts a list to what belongs to something, like a filter.
  return (...given) => (isShort(given[1]) ? usual : reading)(...given);
}

/** The functions of `usual`, with those that read many rows from `reading`, except for short pages. */
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
  return Object.fromEntries(groups) as StoreVerbs; // Same groups, same functions.
}

/** Maximum number of reads under way or waiting: others would wait longer than their callers. */
const mostReads = 100;

/** Runs up to this many at a time; further ones are refused with `unavailable`. */
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
