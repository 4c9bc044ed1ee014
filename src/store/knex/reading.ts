/** Which functions read on `Engine.reading`, in turn. */

import { isShort, type ListQuery } from '../listing.ts';
import type { InReadTurn, ReadTurns } from '../read-turns.ts';
import type { StoreVerbs } from '../store.ts';

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

/** A slice that is found by its ids, or a short page. */
function isQuick(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || !('filters' in given)) return false;
  const query = given as ListQuery;
  return (query.part !== undefined && query.part !== 'ids') || isShort(query);
}

type Verb = (...given: readonly unknown[]) => Promise<unknown>;

function choosing(usual: Verb, reading: Verb, inTurn: InReadTurn): Verb {
  return (...given) => {
    const [account, second] = given;
    // The third argument restricts a list to what belongs to something, like a filter.
    if (isQuick(second)) return usual(...given);
    return inTurn(typeof account === 'number' ? account : null, () => reading(...given));
  };
}

/** The functions of `usual`, with those that read many rows from `reading`, in turn, except for short pages. */
export function withReading(usual: StoreVerbs, reading: StoreVerbs, inTurn: InReadTurn): StoreVerbs {
  const instead = new Map(Object.entries(reading));
  const groups = Object.entries(usual).map(([group, members]) => {
    const names: readonly string[] = Object.hasOwn(readingVerbs, group)
      ? readingVerbs[group as keyof typeof readingVerbs]
      : [];
    const others = new Map(Object.entries<Verb>(instead.get(group)));
    const chosen = Object.entries<Verb>(members).map(([name, verb]) => {
      const other = names.includes(name) ? others.get(name) : undefined;
      return [name, other ? choosing(verb, other, inTurn) : verb];
    });
    return [group, Object.fromEntries(chosen)];
  });
  return Object.fromEntries(groups) as StoreVerbs; // Same groups, same functions.
}

/** Waiting is then left to the pool. */
export const inOrderOfArrival: ReadTurns = () => (_accountId, work) => work();

/** The same turns, and how many reads wait for one. */
export function countWaiting(inTurn: InReadTurn): { readonly inTurn: InReadTurn; readonly waiting: () => number } {
  let waiting = 0;
  return {
    waiting: () => waiting,
    inTurn: async (accountId, work) => {
      let isWaiting = true;
      const begin = () => {
        isWaiting = false;
        waiting -= 1;
        return work();
      };
      waiting += 1;
      try {
        return await inTurn(accountId, begin);
      } finally {
        if (isWaiting) waiting -= 1;
      }
    },
  };
}
