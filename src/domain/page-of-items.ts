/** Pages of what is no table but short, or counted up for the request: the same order, filters and positions as a store's. */

import { createHash } from 'node:crypto';
import type { ListFilter, ListPage, ListPosition, ListQuery } from './listing.ts';

type Key = string | number;

/** How items are listed. */
export interface ItemListing<Item> {
  /** What can be sorted or filtered by. */
  readonly fields: Readonly<Record<string, (item: Item) => Key>>;
  /** What no other item of the list has. */
  readonly keyOf: (item: Item) => string;
}

/** A number by which a position finds its item again, whatever is added or removed meanwhile. */
function numberOf(key: string): number {
  return createHash('sha256').update(key).digest().readUIntBE(0, 6);
}

function compare(one: Key, other: Key): number {
  return one < other ? -1 : Number(one > other);
}

const tests: Readonly<Record<ListFilter['test'], (key: Key, values: ListFilter['values']) => boolean>> = {
  is: (key, [value]) => key === value,
  in: (key, values) => values.includes(key),
  begins: (key, [value]) => String(key).startsWith(String(value)),
  ends: (key, [value]) => String(key).endsWith(String(value)),
  holds: (key, [value]) => String(key).includes(String(value)),
  from: (key, [value = 0]) => key >= value,
  to: (key, [value = 0]) => key <= value,
};

interface Placed<Item> {
  readonly item: Item;
  readonly at: ListPosition;
}

/** The page of `items` that is asked for. */
export function pageOfItems<Item>(
  items: readonly Item[],
  { fields, keyOf }: ItemListing<Item>,
  { sort, filters, limit, at }: ListQuery,
): ListPage<Item> {
  const read = (field: string, item: Item) => fields[field]?.(item) ?? '';
  const sign = sort.descending ? -1 : 1;
  const between = (one: ListPosition, other: ListPosition) =>
    sign * (compare(one.key, other.key) || compare(one.id, other.id));
  const placed = items
    .filter((item) => filters.every(({ field, test, values }) => tests[test](read(field, item), values)))
    .map((item): Placed<Item> => ({ item, at: { key: read(sort.field, item), id: numberOf(keyOf(item)) } }))
    .sort((one, other) => between(one.at, other.at));
  if ('page' in at) return cut(placed, (at.page - 1) * limit, limit, placed.length);
  if ('after' in at) {
    const first = placed.findIndex((one) => between(one.at, at.after) > 0);
    return cut(placed, first === -1 ? placed.length : first, limit, null);
  }
  const end = placed.findLastIndex((one) => between(one.at, at.before) < 0) + 1;
  const first = Math.max(0, end - limit);
  return cut(placed, first, end - first, null);
}

function cut<Item>(
  placed: readonly Placed<Item>[],
  first: number,
  count: number,
  total: number | null,
): ListPage<Item> {
  const shown = placed.slice(first, first + count);
  return {
    items: shown.map(({ item }) => item),
    before: first > 0 ? (shown[0]?.at ?? null) : null,
    after: first + count < placed.length ? (shown.at(-1)?.at ?? null) : null,
    total,
  };
}
