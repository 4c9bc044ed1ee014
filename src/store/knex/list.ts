/** Pages of a table by keyset: what comes next to a position is found by index, however deep it lies. */

import type { Knex } from 'knex';
import type { ListPage, ListPosition, ListQuery } from '../listing.ts';
import type { Listing } from './list-filters.ts';
import { type Asked, furtherOn, orderOf, rowsOf, shown, sorted } from './list-order.ts';
import { follow } from './list-walk.ts';
import type { DbRow } from './shape.ts';

function positionOf<Item>({ listing }: Asked<Item>, row: DbRow | undefined): ListPosition | null {
  return row ? { key: row['list_key'] as string | number, id: Number(row[listing.id]) } : null;
}

/**
 * The rows beyond a position, or from it on, nearest first: those with the same key, and those with a further one. Each
 * is one range of an index on both databases, which a comparison of pairs is not. By id there is one.
 */
function ranges<Item>(
  asked: Asked<Item>,
  position: ListPosition,
  backwards: boolean,
  from: '' | '=' = '',
): readonly [Knex.QueryBuilder, Knex.QueryBuilder?] {
  const { id } = asked.listing;
  const { byId, key, cast } = asked.order;
  const than = furtherOn(asked, backwards);
  const near = rowsOf(asked)
    .where(id, `${than}${from}`, position.id)
    .orderBy(id, than === '>' ? 'asc' : 'desc');
  if (byId) return [near];
  const far = rowsOf(asked).whereRaw(`${key} ${than} ${cast}`, [position.key]);
  return [near.whereRaw(`${key} = ${cast}`, [position.key]), sorted(asked, far, backwards)];
}

/** SQL of the id of a row on the other side of what lies beyond a position, null where there is none. */
function otherSide<Item>(asked: Asked<Item>, position: ListPosition, backwards: boolean): Knex.Raw {
  const [near, far] = ranges(asked, position, !backwards, '=');
  const idOf = (rows: Knex.QueryBuilder) => rows.select(asked.listing.id).limit(1);
  return far ? asked.db.raw('coalesce(?, ?)', [idOf(near), idOf(far)]) : asked.db.raw('?', [idOf(near)]);
}

/** Up to `count` rows beyond a position, nearest first. The `list_other` of each is null where no row is before them. */
async function beyond<Item>(
  asked: Asked<Item>,
  position: ListPosition,
  backwards: boolean,
  count: number,
): Promise<DbRow[]> {
  const { db } = asked;
  const list_other = otherSide(asked, position, backwards);
  const [near, far] = ranges(asked, position, backwards);
  for (const rows of [near, far]) if (rows) shown(asked, rows).select({ list_other }).limit(count);
  if (!far) return near;
  // Both databases answer the two one after the other.
  return db
    .from(near.as('part_0'))
    .unionAll(db.from(far.as('part_1')))
    .limit(count);
}

async function numbered<Item>(asked: Asked<Item>, page: number): Promise<ListPage<Item>> {
  const { listing, query, order } = asked;
  const { limit } = query;
  const [counted] = await rowsOf(asked).count({ total: '*' });
  const total = Number(counted?.['total']);
  const skipped = (page - 1) * limit;
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
  const found = await find();
  const items = found.slice(0, limit);
  return {
    items: items.map(listing.read),
    before: skipped > 0 ? positionOf(asked, items[0]) : null,
    after: found.length > limit ? positionOf(asked, items.at(-1)) : null,
    total,
  };
}

async function besides<Item>(asked: Asked<Item>, position: ListPosition, backwards: boolean): Promise<ListPage<Item>> {
  const { listing, query } = asked;
  const count = query.limit + 1;
  const followed = await follow(asked, position.id, backwards, count);
  const found = followed ?? (await beyond(asked, position, backwards, count));
  const items = found.slice(0, query.limit);
  const [nearest] = items;
  const near = nearest?.['list_other'] == null ? null : positionOf(asked, nearest);
  const far = found.length > query.limit ? positionOf(asked, items.at(-1)) : null;
  return {
    items: (backwards ? items.toReversed() : items).map(listing.read),
    before: backwards ? far : near,
    after: backwards ? near : far,
    total: null,
  };
}

/** One page of a list of the account. */
export function listPage<Item>(
  db: Knex,
  listing: Listing<Item>,
  accountId: number,
  query: ListQuery,
): Promise<ListPage<Item>> {
  const asked = { db, listing, accountId, query, order: orderOf(db, listing, query) };
  const { at } = query;
  if ('page' in at) return numbered(asked, at.page);
  return 'after' in at ? besides(asked, at.after, false) : besides(asked, at.before, true);
}
