/** Pages of what links lead to, however much that is: by id, the links next to a position are followed and no others. */

import type { ListFilter } from '../listing.ts';
import { nearestLinked, type Sql, type Stretch } from './links.ts';
import { type Asked, furtherOn, rowsOf, shown, sorted } from './list-order.ts';
import type { Cell, DbRow } from './shape.ts';

/** Of what a filter names, since each has a range of its own in the index. */
const mostNamed = 100;
/** Links that are followed where some of their items may not satisfy other filters. */
const mostFollowed = 1000;

interface Walk {
  readonly nearest: (stretch: Stretch) => Sql;
  /** What else the items must satisfy. */
  readonly others: readonly ListFilter[];
}

/** Null in another order, and where another filter finds ids too: it would find all of them again for each page. */
function walkOf<Item>({ db, listing, accountId, query: { filters }, order }: Asked<Item>): Walk | null {
  const { linked = {}, within = {} } = listing;
  const [filter, ...more] = filters.filter(({ field }) => Object.hasOwn(linked, field));
  const links = filter && linked[filter.field];
  if (!order.byId || !filter || !links || more.length > 0 || filter.values.length > mostNamed) return null;
  if (filters.some(({ field }) => Object.hasOwn(within, field))) return null;
  return {
    nearest: (stretch) => nearestLinked(db, links, accountId, filter.values, stretch),
    others: filters.filter((other) => other !== filter),
  };
}

/**
 * Up to `count` rows beyond an id, nearest first. Null where there is nothing to follow, or so much was followed in vain that the rows are better looked up by the other filters.
 */
export async function follow<Item>(
  asked: Asked<Item>,
  from: number,
  backwards: boolean,
  count: number,
): Promise<DbRow[] | null> {
  const walk = walkOf(asked);
  if (!walk) return null;
  const { db, listing } = asked;
  const than = furtherOn(asked, backwards);
  const followed = walk.others.length === 0 ? count : Math.max(count, mostFollowed);
  const [ids, bindings] = walk.nearest({ than, id: from, count: followed });
  const rows = shown(asked, rowsOf(asked, walk.others)).whereRaw(`${listing.id} in (${ids})`, bindings as Cell[]);
  const found: DbRow[] = await sorted(asked, rows, backwards).limit(count);
  if (found.length >= count) return found;
  const [counted] = await db.from(db.raw(`(${ids}) as followed`, bindings as Cell[])).count({ total: '*' });
  return Number(counted?.['total']) < followed ? found : null;
}
