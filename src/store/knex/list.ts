/** Pages of a table by keyset: what comes next to a position is found by index, however deep it lies. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { ListFilter, ListPage, ListPosition, ListQuery } from '../listing.ts';
import { expressionOf, isPostgres, type ListColumn } from './list-index.ts';
import type { Cell, DbRow } from './shape.ts';

/** The ids of a filter's items: a select of one column, with its bindings. */
type Subselect = (db: Knex, accountId: number, filter: ListFilter) => readonly [sql: string, bindings: readonly Cell[]];

/** A table as a list. */
export interface Listing<Item> {
  readonly table: string;
  /** The number of an item: unique in the account, and what equal sort keys are told apart by. */
  readonly id: string;
  /** Fields of the item itself, by the names of `ListQuery`. */
  readonly columns: Readonly<Record<string, ListColumn>>;
  /** Fields that other tables keep. */
  readonly within?: Readonly<Record<string, Subselect>>;
  read(row: DbRow): Item;
}

interface Order {
  /** SQL of the sort key. */
  readonly key: string;
  readonly cast: string;
  readonly descending: boolean;
  /** The key is the id itself. */
  readonly byId: boolean;
}

function columnOf<Item>(listing: Listing<Item>, field: string): ListColumn {
  const column = Object.hasOwn(listing.columns, field) ? listing.columns[field] : undefined;
  if (!column) throw new Failure('internal', { reason: `${listing.table} is not listed by ${field}` });
  return column;
}

/**
 * A number may be larger than its column holds, which PostgreSQL refuses to compare without the cast. With it SQLite
 * would find nothing by the index of an expression, which has no type of its own.
 */
function castOf(db: Knex, { kind }: ListColumn): string {
  return kind === 'number' && isPostgres(db) ? 'cast(? as bigint)' : '?';
}

/** The least text that is larger than every text that begins so, in the order of UTF-8; null when there is none. */
export function successorOf(beginning: string): string | null {
  const points = [...beginning].map((character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    // Surrogates are no characters.
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

/** What a filter on a column means in SQL. */
export function conditionOf(
  db: Knex,
  column: ListColumn,
  { test, values }: ListFilter,
): readonly [sql: string, bindings: readonly Cell[]] {
  const value = expressionOf(db, column);
  const [first = ''] = values;
  const text = String(first);
  switch (test) {
    case 'is':
      return [`${value} = ${castOf(db, column)}`, [first]];
    case 'in':
      return [`${value} in (${values.map(() => castOf(db, column)).join(', ')})`, values];
    case 'from':
      return [`${value} >= ${castOf(db, column)}`, [first]];
    case 'to':
      // What has no value comes first in the order, and is no time before another.
      return [`${value} >= 0 and ${value} <= ${castOf(db, column)}`, [first]];
    case 'begins': {
      const end = successorOf(text);
      return end === null ? [`${value} >= ?`, [text]] : [`${value} >= ? and ${value} < ?`, [text, end]];
    }
    case 'ends':
      return isPostgres(db)
        ? [`right(${value}, cast(? as integer)) = ?`, [[...text].length, text]]
        : [`substr(${value}, -cast(? as integer)) = ?`, [[...text].length, text]];
    case 'holds':
      return [`${isPostgres(db) ? 'strpos' : 'instr'}(${value}, ?) > 0`, [text]];
  }
}

function filtered<Item>(db: Knex, listing: Listing<Item>, accountId: number, query: ListQuery): Knex.QueryBuilder {
  const rows = db(listing.table).where(`${listing.table}.account_id`, accountId);
  const elsewhere: ReturnType<Subselect>[] = [];
  for (const filter of query.filters) {
    // The end of every text.
    if (['begins', 'ends', 'holds'].includes(filter.test) && filter.values[0] === '') continue;
    const within = listing.within?.[filter.field];
    if (within) {
      elsewhere.push(within(db, accountId, filter));
      continue;
    }
    const [sql, bindings] = conditionOf(db, columnOf(listing, filter.field), filter);
    rows.whereRaw(sql, bindings as Cell[]);
  }
  return elsewhere.length === 0 ? rows : among(rows, listing.id, elsewhere, query);
}

/**
 * Only items whose ids all of these selects find. As one condition: of two on one column SQLite tries every id of the
 * one with every id of the other; and where ids are named besides, one that is not looked up by index.
 */
function among(
  rows: Knex.QueryBuilder,
  id: string,
  selects: readonly ReturnType<Subselect>[],
  { filters }: ListQuery,
): Knex.QueryBuilder {
  const sql = selects.map(([one], part) => `select * from (${one}) part_${part}`).join(' intersect ');
  const column = filters.some(({ field }) => field === id) ? `+${id}` : id;
  return rows.whereRaw(`${column} in (${sql})`, selects.flatMap(([, bindings]) => bindings) as Cell[]);
}

function orderOf<Item>(db: Knex, listing: Listing<Item>, { sort }: ListQuery): Order {
  const column = columnOf(listing, sort.field);
  const byId = column.column === listing.id;
  return { key: expressionOf(db, column), cast: castOf(db, column), descending: sort.descending, byId };
}

function sorted(rows: Knex.QueryBuilder, id: string, { key, byId }: Order, descending: boolean): Knex.QueryBuilder {
  const direction = descending ? 'desc' : 'asc';
  return byId ? rows.orderBy(id, direction) : rows.orderByRaw(`${key} ${direction}, ${id} ${direction}`);
}

/**
 * Up to `count` rows beyond a position, nearest first: those with the same key, then those with a further one. Each is
 * one range of an index on both databases, which a comparison of pairs is not.
 */
async function beyond(
  rows: () => Knex.QueryBuilder,
  id: string,
  order: Order,
  position: ListPosition,
  backwards: boolean,
  count: number,
): Promise<DbRow[]> {
  const descending = order.descending !== backwards;
  const than = descending ? '<' : '>';
  if (order.byId) return sorted(rows().where(id, than, position.id), id, order, descending).limit(count);
  const same = rows().whereRaw(`${order.key} = ${order.cast}`, [position.key]).where(id, than, position.id);
  const near: DbRow[] = await same.orderBy(id, descending ? 'desc' : 'asc').limit(count);
  if (near.length >= count) return near;
  const further = rows().whereRaw(`${order.key} ${than} ${order.cast}`, [position.key]);
  return [...near, ...(await sorted(further, id, order, descending).limit(count - near.length))];
}

/** One page of a list of the account. */
export async function listPage<Item>(
  db: Knex,
  listing: Listing<Item>,
  accountId: number,
  query: ListQuery,
): Promise<ListPage<Item>> {
  const { at, limit } = query;
  const { id } = listing;
  const order = orderOf(db, listing, query);
  const plain = () => filtered(db, listing, accountId, query);
  const rows = () =>
    plain()
      .select(`${listing.table}.*`)
      .select(db.raw(`${order.key} as list_key`));
  const positionOf = (row: DbRow | undefined): ListPosition | null =>
    row ? { key: row['list_key'] as string | number, id: Number(row[id]) } : null;

  async function numbered(page: number): Promise<ListPage<Item>> {
    const [counted] = await plain().count({ total: '*' });
    const total = Number(counted?.['total']);
    const skipped = (page - 1) * limit;
    const beyondEnd = skipped >= total;
    const found: DbRow[] = beyondEnd
      ? []
      : await sorted(rows(), id, order, order.descending)
          .offset(skipped)
          .limit(limit + 1);
    const shown = found.slice(0, limit);
    return {
      items: shown.map(listing.read),
      before: skipped > 0 ? positionOf(shown[0]) : null,
      after: found.length > limit ? positionOf(shown.at(-1)) : null,
      total,
    };
  }

  async function besides(position: ListPosition, backwards: boolean): Promise<ListPage<Item>> {
    const found = await beyond(rows, id, order, position, backwards, limit + 1);
    const shown = found.slice(0, limit);
    // On the side that it came from: one is enough, and what was there may be gone.
    const nearest = positionOf(shown[0]);
    const [other] = nearest ? await beyond(rows, id, order, nearest, !backwards, 1) : [];
    const near = other ? nearest : null;
    const far = found.length > limit ? positionOf(shown.at(-1)) : null;
    const items = (backwards ? shown.reverse() : shown).map(listing.read);
    return { items, before: backwards ? far : near, after: backwards ? near : far, total: null };
  }

  if ('page' in at) return numbered(at.page);
  return 'after' in at ? besides(at.after, false) : besides(at.before, true);
}
