/**
 * Pages of linked items, however many there are. Sorted by id, only the links next to a position are followed. In
 * another order, many items are found by reading all rows in that order, and few by looking them up.
 */

import type { ListFilter } from '../listing.ts';
import { nearestLinked, type Sql, type Stretch } from './links.ts';
import { type Asked, furtherOn, rowsOf, shown, sorted } from './list-order.ts';
import type { Cell, DbRow } from './shape.ts';

/** Maximum number of values in a filter, since each has a range of its own in the index. */
const mostNamed = 100;
/** Maximum number of links followed if some items may not satisfy other filters. */
const mostFollowed = 1000;
/** Maximum number of rows looked up and sorted for a page. */
const mostSorted = 2000;

type Known<Item> = Omit<Asked<Item>, 'rowByRow'>;

interface Walk {
  readonly nearest: (stretch: Stretch) => Sql;
  /** The other conditions on the items. */
  readonly others: readonly ListFilter[];
}

/** Null if another filter finds ids too: it would find all of them for each page. */
function walkOf<Item>({ db, listing, accountId, query: { filters } }: Known<Item>): Walk | null {
  const { linked = {}, within = {} } = listing;
  const [filter, ...more] = filters.filter(({ field }) => Object.hasOwn(linked, field));
  const links = filter && linked[filter.field];
  if (!filter || !links || more.length > 0 || filter.values.length > mostNamed) return null;
  if (filters.some(({ field }) => Object.hasOwn(within, field))) return null;
  return {
    nearest: (stretch) => nearestLinked(db, links, accountId, filter.values, stretch),
    others: filters.filter((other) => other !== filter),
  };
}

/**
 * Up to `count` rows beyond an id, nearest first. Null if there is nothing to follow, or if so many links were followed
 * in vain that the other filters are a better way to find the rows.
 */
export async function follow<Item>(
  asked: Asked<Item>,
  from: number,
  backwards: boolean,
  count: number,
): Promise<DbRow[] | null> {
  const walk = asked.order.byId ? walkOf(asked) : null;
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

/** Whether the filter matches so many rows that, in an order other than by id, reading in order is better. */
export async function namesMany<Item>(known: Known<Item>): Promise<boolean> {
  const walk = known.order.byId ? null : walkOf(known);
  if (!walk) return false;
  const [ids, bindings] = walk.nearest({ than: '>', id: 0, count: mostSorted + 1 });
  const [counted] = await known.db.from(known.db.raw(`(${ids}) as named`, bindings as Cell[])).count({ total: '*' });
  return Number(counted?.['total']) > mostSorted;
}
