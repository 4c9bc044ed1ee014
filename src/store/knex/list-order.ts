/** A requested list, and the order of its rows in SQL. */

import type { Knex } from 'knex';
import type { ListQuery } from '../listing.ts';
import { dialectOf } from './dialect.ts';
import { castOf, columnOf, filtered, type Listing, type Passed, type Ways } from './list-filters.ts';
import { expressionOf } from './list-index.ts';

interface Order {
  /** SQL of the sort key. */
  readonly key: string;
  readonly cast: string;
  readonly descending: boolean;
  /** The key is the id itself. */
  readonly byId: boolean;
}

export interface Asked<Item> extends Ways {
  readonly db: Knex;
  readonly listing: Listing<Item>;
  readonly accountId: number;
  readonly query: ListQuery;
  readonly order: Order;
  /** What totals are counted by, in any order. */
  readonly counted: Ways;
}

/** SQL of the sort key and of the id, by whose indexes the rows are read unless few are looked up. */
export function keysOf<Item>({ db, listing, order, way }: Asked<Item>): {
  readonly key: string;
  readonly id: string;
} {
  const written = (value: string) => (way === 'sorted' ? (dialectOf(db).unindexed?.(value) ?? value) : value);
  return { key: written(order.key), id: written(listing.id) };
}

export function orderOf<Item>(db: Knex, listing: Listing<Item>, { sort }: ListQuery): Order {
  const column = columnOf(listing, sort.field);
  const byId = column.column === listing.id;
  return { key: expressionOf(db, column), cast: castOf(db, column), descending: sort.descending, byId };
}

/** The rows that satisfy the filters; default: those of the query. `passed`: only rows beyond a position are read. */
export function rowsOf<Item>(
  asked: Omit<Asked<Item>, 'counted'>,
  filters = asked.query.filters,
  passed: Passed | null = null,
): Knex.QueryBuilder {
  return filtered(asked.db, asked.listing, asked.accountId, filters, asked, passed);
}

/** The columns that a page reads: of a page of ids the id alone. */
export function readOf<Item>({ table, id }: Listing<Item>, { part }: ListQuery): string {
  return `${table}.${part === 'ids' ? id : '*'}`;
}

/** With everything that an item is read from, if items are asked for, and its position. */
export function shown<Item>({ db, listing, order, query }: Asked<Item>, rows: Knex.QueryBuilder): Knex.QueryBuilder {
  return rows.select(readOf(listing, query)).select(db.raw(`${order.key} as list_key`));
}

/** In the order of the list, or reversed. */
export function sorted<Item>(asked: Asked<Item>, rows: Knex.QueryBuilder, backwards = false): Knex.QueryBuilder {
  const { byId, descending } = asked.order;
  const { key, id } = keysOf(asked);
  const direction = descending === backwards ? 'asc' : 'desc';
  return rows.orderByRaw(byId ? `${id} ${direction}` : `${key} ${direction}, ${id} ${direction}`);
}

/** The comparison for "further on", in the order of the list or reversed. */
export function furtherOn<Item>({ order }: Asked<Item>, backwards: boolean): '<' | '>' {
  return order.descending === backwards ? '>' : '<';
}
