/** A requested list, and the order of its rows in SQL. */

import type { Knex } from 'knex';
import type { ListFilter, ListQuery } from '../listing.ts';
import { castOf, columnOf, filtered, type Listing } from './list-filters.ts';
import { expressionOf } from './list-index.ts';

interface Order {
  /** SQL of the sort key. */
  readonly key: string;
  readonly cast: string;
  readonly descending: boolean;
  /** The key is the id itself. */
  readonly byId: boolean;
}

export interface Asked<Item> {
  readonly db: Knex;
  readonly listing: Listing<Item>;
  readonly accountId: number;
  readonly query: ListQuery;
  readonly order: Order;
  /** Filters that are checked on each row, in the order of the list, because most rows may satisfy them (list-walk.ts). */
  readonly rowByRow: readonly ListFilter[];
}

export function orderOf<Item>(db: Knex, listing: Listing<Item>, { sort }: ListQuery): Order {
  const column = columnOf(listing, sort.field);
  const byId = column.column === listing.id;
  return { key: expressionOf(db, column), cast: castOf(db, column), descending: sort.descending, byId };
}

/** The rows that satisfy the filters; default: those of the query. */
export function rowsOf<Item>(asked: Asked<Item>, filters = asked.query.filters): Knex.QueryBuilder {
  return filtered(asked.db, asked.listing, asked.accountId, filters, asked.rowByRow);
}

/** With everything that an item is read from, and its position. */
export function shown<Item>({ db, listing, order }: Asked<Item>, rows: Knex.QueryBuilder): Knex.QueryBuilder {
  return rows.select(`${listing.table}.*`).select(db.raw(`${order.key} as list_key`));
}

/** In the order of the list, or reversed. */
export function sorted<Item>(
  { listing: { id }, order: { key, byId, descending } }: Asked<Item>,
  rows: Knex.QueryBuilder,
  backwards = false,
): Knex.QueryBuilder {
  const direction = descending === backwards ? 'asc' : 'desc';
  return byId ? rows.orderBy(id, direction) : rows.orderByRaw(`${key} ${direction}, ${id} ${direction}`);
}

/** The comparison for "further on", in the order of the list or reversed. */
export function furtherOn<Item>({ order }: Asked<Item>, backwards: boolean): '<' | '>' {
  return order.descending === backwards ? '>' : '<';
}
