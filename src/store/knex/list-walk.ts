/**
 * Pages of the items that a filter matches, however many there are. Of linked items, sorted by id, only the links next to
 * a position are followed. Otherwise many items are found by reading all rows in the order of the list, and few by
 * looking them up.
 */

import type { Knex } from 'knex';
import type { ListFilter } from '../listing.ts';
import { dialectOf, type UserSearch } from './dialect.ts';
import { nearestLinked, type Sql, type Stretch } from './links.ts';
import type { Ways } from './list-filters.ts';
import { type Asked, furtherOn, rowsOf, shown, sorted } from './list-order.ts';
import type { Cell, DbRow } from './shape.ts';

/** Maximum number of values in a filter, since each has a range of its own in the index. */
const mostNamed = 100;
/** Maximum number of links followed if some items may not satisfy other filters. */
const mostFollowed = 1000;
/** Maximum number of rows looked up and sorted for a page. */
const mostSorted = 2000;
/** Maximum number of rows looked up to be counted: reading all of a large account is quicker then. */
const mostCounted = 50_000;
/** Maximum number of rows found that are picked out of the list: of more, one is soon met by reading row by row. */
const mostWalked = 20_000;

/** A part that more have is not asked for beside one that few have. */
const mostOfPart = 10_000;

const plainly: Ways = { rowByRow: [], searched: new Map(), way: 'read' };

export type Known<Item> = Omit<Asked<Item>, keyof Measured>;

/** What is known of the rows that the filters match. */
type Measured = Pick<Asked<never>, 'rowByRow' | 'searched' | 'way' | 'counted'>;

interface Walk {
  readonly nearest: (stretch: Stretch) => Sql;
  readonly filter: ListFilter;
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
    filter,
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

/**
 * Finds the filters that match so many rows that reading in the order of the list is better than sorting what they
 * match, and whether another one is known to match few.
 */
export async function measureFilters<Item>(known: Known<Item>): Promise<Measured> {
  const { db } = known;
  const many: ListFilter[] = [];
  const walk = known.order.byId ? null : walkOf(known);
  if (walk) {
    const [ids, bindings] = walk.nearest({ than: '>', id: 0, count: mostSorted + 1 });
    if (await isTooMany(db, db.raw(`(${ids}) as matched`, bindings as Cell[]))) many.push(walk.filter);
  }
  const ranges = known.query.filters.filter((one) => isRange(known, one));
  for (const filter of ranges) {
    const matching = rowsOf({ ...known, ...plainly }, [filter]).select(db.raw('1'));
    if (await isTooMany(db, matching.limit(mostSorted + 1).as('matched'))) many.push(filter);
  }
  const { few, some, counted } = await measureSearched(known);
  const isLookedUp = few.size > 0 || ranges.some((filter) => !many.includes(filter));
  const way = isLookedUp ? 'sorted' : isOfRows(known) ? 'walked' : 'read';
  return {
    rowByRow: many,
    searched: way === 'walked' ? some : few,
    way,
    counted: { rowByRow: [], searched: counted, way: 'read' },
  };
}

/** Whether no filter finds its rows by what is linked to them. */
export function isOfRows<Item>({ listing, query }: Known<Item>): boolean {
  return query.filters.every(({ field }) => Object.hasOwn(listing.columns, field));
}

type Searched = Ways['searched'];

/** By how many are found. */
interface Sized {
  /** So few that they are looked up and sorted. */
  readonly few: Searched;
  /** So few that they are picked out of the list as it is read in order. */
  readonly some: Searched;
  /** So few that they are counted. */
  readonly counted: Searched;
}

const nothingSearched: Sized = { few: new Map(), some: new Map(), counted: new Map() };

/** How many rows an index of parts of texts finds, up to so many. */
function sizeFound(db: Knex, { found }: UserSearch, parts: readonly string[], most: number): Promise<number> {
  const [sql, bindings] = found(parts);
  return sizeOf(db, db.raw(`(${sql} limit ?) as matched`, [...bindings, most] as Cell[]));
}

/**
 * The parts that few have, if there are any: FTS5 reads much of the others, and they hardly find fewer. Otherwise all.
 */
async function rarePartsOf(db: Knex, search: UserSearch, parts: readonly string[]): Promise<readonly string[]> {
  if (parts.length === 1) return parts;
  const sized = parts.map(async (part) => [part, await sizeFound(db, search, [part], mostOfPart + 1)] as const);
  const rare = (await Promise.all(sized)).filter(([, size]) => size <= mostOfPart);
  return rare.length === 0 ? parts : rare.map(([part]) => part);
}

/** How many an index of parts of texts finds for which filters. */
async function measureSearched<Item>(known: Known<Item>): Promise<Sized> {
  const { db, listing, query } = known;
  const { userSearch } = dialectOf(db);
  const asked = query.filters.map((filter) => [filter, listing.search?.(db, filter) ?? []] as const);
  const searches = asked.filter(([, parts]) => parts.length > 0);
  if (!userSearch || searches.length === 0) return nothingSearched;
  // An account of few users is read through.
  const everybody = rowsOf({ ...known, ...plainly }, []).select(db.raw('1'));
  if (!(await isTooMany(db, everybody.limit(mostSorted + 1).as('matched')))) return nothingSearched;
  // A total is counted of numbered pages alone.
  const most = 'page' in query.at ? mostCounted : mostWalked;
  const sized = searches.map(async ([filter, all]) => {
    const parts = await rarePartsOf(db, userSearch, all);
    return { filter, parts, size: await sizeFound(db, userSearch, parts, most + 1) };
  });
  const sizes = await Promise.all(sized);
  const within = (bound: number) =>
    new Map(sizes.filter(({ size }) => size <= bound).map(({ filter, parts }) => [filter, parts]));
  return { few: within(mostSorted), some: within(mostWalked), counted: within(mostCounted) };
}

/** Whether the filter is a range of an index that has another order than the list. */
function isRange<Item>(
  { db, listing, query: { sort } }: Known<Item>,
  { field, test, values: [first] }: ListFilter,
): boolean {
  if (!dialectOf(db).unindexed || field === sort.field || !Object.hasOwn(listing.columns, field)) return false;
  return ['begins', 'from', 'to'].includes(test) && first !== '';
}

async function sizeOf(db: Knex, rows: Knex.Raw | Knex.QueryBuilder): Promise<number> {
  const [counted] = await db.from(rows).count({ total: '*' });
  return Number(counted?.['total']);
}

async function isTooMany(db: Knex, rows: Knex.Raw | Knex.QueryBuilder): Promise<boolean> {
  return (await sizeOf(db, rows)) > mostSorted;
}
