/** Keyset pages of a table: the rows next to a position are found by index, however deep it is. */

import type { Knex } from 'knex';
import type { ListFilter, ListPage, ListPosition, ListQuery } from '../listing.ts';
import type { Listing } from './list-filters.ts';
import { findWithTotal } from './list-found.ts';
import { type Asked, furtherOn, keysOf, orderOf, rowsOf, shown, sorted } from './list-order.ts';
import { type Beyond, readShort } from './list-short.ts';
import { follow, type Known, measureFilters } from './list-walk.ts';
import { anyRemoved } from './removed.ts';
import type { Cell, DbRow } from './shape.ts';

function positionOf<Item>({ listing }: Asked<Item>, row: DbRow | undefined): ListPosition | null {
  return row ? { key: row['list_key'] as string | number, id: Number(row[listing.id]) } : null;
}

const byIdAlone: Beyond = (asked, { id }, backwards) => {
  const rows = shown(asked, rowsOf(asked)).whereRaw(`${keysOf(asked).id} ${furtherOn(asked, backwards)} ?`, [id]);
  return sorted(asked, rows, backwards);
};

const ofFurtherKey: Beyond = (asked, position, backwards) => {
  const than = furtherOn(asked, backwards);
  const rows = shown(asked, rowsOf(asked, asked.query.filters, { field: asked.query.sort.field, than }));
  rows.whereRaw(`${keysOf(asked).key} ${than} ${asked.order.cast}`, [position.key]);
  return sorted(asked, rows, backwards);
};

/**
 * Never prepared: for any key PostgreSQL may look through the account by id, where only the one given says whether
 * there are many such rows.
 */
const ofSameKey: Beyond = (asked, position, backwards) => {
  const { key, id } = keysOf(asked);
  const than = furtherOn(asked, backwards);
  const given = [position.key, position.id];
  return shown(asked, rowsOf(asked))
    .whereRaw(`${key} = ${asked.order.cast} and ${id} ${than} ?`, given)
    .orderByRaw(`${id} ${than === '>' ? 'asc' : 'desc'}`);
};

/**
 * Up to `count` rows beyond a position, nearest first: those with the same key, then those with a further one. Each
 * part is one range of an index on both databases; a comparison of pairs is not.
 */
async function beyond<Item>(
  asked: Asked<Item>,
  position: ListPosition,
  backwards: boolean,
  count: number,
): Promise<DbRow[]> {
  const followed = await follow(asked, position.id, backwards, count);
  if (followed) return followed;
  const read = async (part: Beyond, most: number): Promise<DbRow[]> =>
    (await readShort(asked, part, position, backwards, most)) ?? part(asked, position, backwards).limit(most);
  if (asked.order.byId) return read(byIdAlone, count);
  const near: DbRow[] = await ofSameKey(asked, position, backwards).limit(count);
  return near.length >= count ? near : [...near, ...(await read(ofFurtherKey, count - near.length))];
}

function itemsOf<Item>({ listing, query }: Asked<Item>, rows: readonly DbRow[]): Pick<ListPage<Item>, 'items' | 'ids'> {
  const ids = rows.map((row) => Number(row[listing.id]));
  return { items: query.part === 'ids' ? [] : rows.map(listing.read), ids };
}

async function totalOf<Item>(asked: Asked<Item>): Promise<number> {
  const { db, listing, accountId, query } = asked;
  if (listing.countAll && !listing.only && query.filters.length === 0) return listing.countAll(db, accountId);
  const [counted] = await countOf(asked);
  return Number(counted?.['total']);
}

/**
 * Selects the number of rows. They are compared with what is removed only if anything is: it takes a sixth of the time.
 */
function countOf<Item>(asked: Asked<Item>): Knex.QueryBuilder {
  const { db, accountId, counted } = asked;
  const { removable, ...whole } = asked.listing;
  const count = (listing: Listing<Item>) => rowsOf({ ...asked, ...counted, listing }).count({ total: '*' });
  if (!removable) return count(whole);
  const [removed, bindings] = anyRemoved(removable, accountId);
  return db.select(
    db.raw(`case when ${removed} then ? else ? end as total`, [
      ...bindings,
      count(asked.listing),
      count(whole),
    ] as Cell[]),
  );
}

async function numbered<Item>(asked: Asked<Item>, page: number): Promise<ListPage<Item>> {
  const { query, order } = asked;
  const { limit } = query;
  const skipped = (page - 1) * limit;
  const together = await findWithTotal(asked, skipped, limit + 1);
  const total = together?.total ?? (await totalOf(asked));
  const find = async (): Promise<DbRow[]> => {
    if (skipped >= total) return [];
    const start = order.descending ? Number.MAX_SAFE_INTEGER : 0;
    const first = page === 1 ? await follow(asked, start, false, limit + 1) : null;
    return (
      first ??
      sorted(asked, shown(asked, rowsOf(asked)))
        .offset(skipped)
        .limit(limit + 1)
    );
  };
  const found = together?.rows ?? (await find());
  const items = found.slice(0, limit);
  return {
    ...itemsOf(asked, items),
    before: skipped > 0 ? positionOf(asked, items[0]) : null,
    after: found.length > limit ? positionOf(asked, items.at(-1)) : null,
    total,
  };
}

async function besides<Item>(asked: Asked<Item>, position: ListPosition, backwards: boolean): Promise<ListPage<Item>> {
  const { query } = asked;
  const found = await beyond(asked, position, backwards, query.limit + 1);
  const items = found.slice(0, query.limit);
  // On the side that it came from one row is enough, and the row that was there may be gone.
  const nearest = positionOf(asked, items[0]);
  const [other] = nearest ? await beyond(asked, nearest, !backwards, 1) : [];
  const near = other ? nearest : null;
  const far = found.length > query.limit ? positionOf(asked, items.at(-1)) : null;
  return {
    ...itemsOf(asked, backwards ? items.toReversed() : items),
    before: backwards ? far : near,
    after: backwards ? near : far,
    total: null,
  };
}

/** Filters that other rows with the same ids may not satisfy, such as whose parts they are. */
function isOfRow<Item>({ columns }: Listing<Item>, { field, test }: ListFilter): boolean {
  return test === 'is' && Object.hasOwn(columns, field);
}

/** These of the items, found by their ids. */
async function named<Item>(known: Known<Item>, ids: readonly number[]): Promise<ListPage<Item>> {
  const { listing, query } = known;
  const filters = query.filters.filter((filter) => isOfRow(listing, filter));
  const rows = rowsOf({ ...known, rowByRow: filters, searched: new Map(), way: 'read' }, filters);
  const found: DbRow[] = await rows.whereIn(`${listing.table}.${listing.id}`, ids).select(`${listing.table}.*`);
  const byId = new Map<number, DbRow>(found.map((row) => [Number(row[listing.id]), row]));
  const there = ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
  return { items: there.map(listing.read), before: null, after: null, total: null };
}

/** One page of a list of the account. */
export async function listPage<Item>(
  db: Knex,
  listing: Listing<Item>,
  accountId: number,
  query: ListQuery,
): Promise<ListPage<Item>> {
  const known = { db, listing, accountId, query, order: orderOf(db, listing, query) };
  const { at, part } = query;
  if (part !== undefined && part !== 'ids') return named(known, part);
  const asked = { ...known, ...(await measureFilters(known)) };
  if ('page' in at) return numbered(asked, at.page);
  return 'after' in at ? besides(asked, at.after, false) : besides(asked, at.before, true);
}
