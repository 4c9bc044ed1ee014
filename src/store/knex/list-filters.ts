/** Tables as lists, and their filters in SQL. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { ListFilter } from '../listing.ts';
import { dialectOf } from './dialect.ts';
import { allLinked, either, inAll, isLinked, type Links, type Sql, unlinked } from './links.ts';
import { expressionOf, type ListColumn } from './list-index.ts';
import { amongPresent, type Removable } from './removed.ts';
import type { Cell, DbRow } from './shape.ts';

/** Selects the ids of a filter's items: one column, with its bindings. */
type Subselect = (db: Knex, accountId: number, filter: ListFilter) => Sql;

/** A table as a list. */
export interface Listing<Item> {
  readonly table: string;
  /** The number of an item: unique in the account, and the tie-breaker for equal sort keys. */
  readonly id: string;
  /** The kind of the items, if they can be removed while rows depend on them. */
  readonly removable?: Removable;
  /** A condition on every row. */
  readonly only?: Sql;
  /** Fields of the item itself, by their names in `ListQuery`. */
  readonly columns: Readonly<Record<string, ListColumn>>;
  /** Fields from links: by id, their items are found one after the other, however many there are. */
  readonly linked?: Readonly<Record<string, readonly Links[]>>;
  /** Fields about the absence of links. */
  readonly unlinked?: Readonly<Record<string, Links>>;
  /** Fields of which each row is asked, such as whether nothing refers to it. */
  readonly conditions?: Readonly<Record<string, (accountId: number, filter: ListFilter) => Sql>>;
  /** Fields from other tables, or from several columns. */
  readonly within?: Readonly<Record<string, Subselect>>;
  /** What an index of parts of texts can be asked for a filter; nothing where it cannot tell, or is not asked. */
  readonly search?: (db: Knex, filter: ListFilter) => readonly string[];
  /** The number of all items of an account, if it is known without counting them. */
  readonly countAll?: (db: Knex, accountId: number) => Promise<number>;
  read(row: DbRow): Item;
}

export function columnOf<Item>(listing: Listing<Item>, field: string): ListColumn {
  const column = Object.hasOwn(listing.columns, field) ? listing.columns[field] : undefined;
  if (!column) throw new Failure('internal', { reason: `${listing.table} is not listed by ${field}` });
  return column;
}

/** The placeholder of a value that is compared with the column. */
export function castOf(db: Knex, { kind }: ListColumn): string {
  return kind === 'number' ? dialectOf(db).numberGiven : '?';
}

/** The least text greater than all texts with this prefix, in UTF-8 order; null when there is none. */
function successorOf(beginning: string): string | null {
  const points = [...beginning].map((character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    // Surrogates are not characters.
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

/** A filter on a column in SQL; `low` and `high` are what is compared with the ends of a range. */
export function conditionOf(
  db: Knex,
  column: ListColumn,
  { test, values }: ListFilter,
  value = expressionOf(db, column),
  { low = value, high = value } = {},
): Sql {
  const [first = ''] = values;
  const text = String(first);
  switch (test) {
    case 'is':
      return [`${value} = ${castOf(db, column)}`, [first]];
    case 'in':
      return [`${value} in (${values.map(() => castOf(db, column)).join(', ')})`, values];
    case 'from':
      return [`${low} >= ${castOf(db, column)}`, [first]];
    case 'to':
      // Null comes first in the order, and is not earlier than any time.
      return [`${low} >= 0 and ${high} <= ${castOf(db, column)}`, [first]];
    case 'begins': {
      const end = successorOf(text);
      return end === null ? [`${low} >= ?`, [text]] : [`${low} >= ? and ${high} < ?`, [text, end]];
    }
    case 'ends':
      return dialectOf(db).endsWith(value, text);
    case 'holds':
      return dialectOf(db).holds(value, text);
  }
}

/** Selects a filter's ids from links or other tables; null for other filters. */
function idsOf<Item>(db: Knex, { linked, within }: Listing<Item>, accountId: number, filter: ListFilter): Sql | null {
  const links = linked?.[filter.field];
  return links ? allLinked(links, accountId, filter.values) : (within?.[filter.field]?.(db, accountId, filter) ?? null);
}

/** Only rows beyond a position are read, in the order of this field. */
export interface Passed {
  readonly field: string;
  readonly than: '<' | '>';
}

/** The condition on the row itself; without the index of the filter's column if `rowByRow`. */
function conditionOn<Item>(
  db: Knex,
  listing: Listing<Item>,
  accountId: number,
  filter: ListFilter,
  rowByRow: boolean,
  passed: Passed | null,
): Sql {
  const linked = listing.linked?.[filter.field];
  if (linked) return isLinked(linked, accountId, listing.table, listing.id, filter.values);
  const links = listing.unlinked?.[filter.field];
  if (links) return unlinked(links, listing.table, listing.id, filter.values);
  const condition = listing.conditions?.[filter.field];
  if (condition) return condition(accountId, filter);
  const column = columnOf(listing, filter.field);
  const value = expressionOf(db, column);
  const unindexed = dialectOf(db).unindexed?.(value) ?? value;
  if (rowByRow) return conditionOf(db, column, filter, unindexed);
  // Of two bounds at the same end SQLite looks up either; the position's is the nearer one.
  const isPassed = passed?.field === filter.field;
  const ends = isPassed ? { [passed.than === '>' ? 'low' : 'high']: unindexed } : {};
  return conditionOf(db, column, filter, value, ends);
}

/** How rows are found. */
export interface Ways {
  /** Filters that are checked on each row. */
  readonly rowByRow: readonly ListFilter[];
  /** Filters whose rows an index of parts of texts finds, with the parts; each of the rows is checked, too. */
  readonly searched: ReadonlyMap<ListFilter, readonly string[]>;
  /**
   * `sorted`: a filter matches few rows, which are looked up by it and sorted. `walked`: those found are picked out of the
   * list as it is read in order. `read`: neither.
   */
  readonly way: 'sorted' | 'walked' | 'read';
}

/** Everything of the account that may satisfy the filter. */
function searchedIds(db: Knex, accountId: number, parts: readonly string[] | undefined): Sql | null {
  const { userSearch } = dialectOf(db);
  return parts && userSearch ? either(userSearch.found(parts), userSearch.waitingOf(accountId)) : null;
}

/**
 * The items of an account that satisfy all filters. Links are followed and ranges looked up first, to find the rows,
 * unless the filter is checked row by row.
 */
export function filtered<Item>(
  db: Knex,
  listing: Listing<Item>,
  accountId: number,
  filters: readonly ListFilter[],
  { rowByRow, searched, way }: Ways,
  passed: Passed | null = null,
): Knex.QueryBuilder {
  const rows = db(listing.table).where(`${listing.table}.account_id`, accountId);
  if (listing.removable) {
    const [sql, bindings] = amongPresent(listing.removable, `${listing.table}.${listing.id}`, accountId);
    rows.whereRaw(sql, bindings as Cell[]);
  }
  if (listing.only) rows.whereRaw(listing.only[0], listing.only[1] as Cell[]);
  const elsewhere: Sql[] = [];
  for (const filter of filters) {
    // Every text has the empty prefix.
    if (['begins', 'ends', 'holds'].includes(filter.test) && filter.values[0] === '') continue;
    const isChecked = rowByRow.includes(filter);
    const ids = isChecked ? null : idsOf(db, listing, accountId, filter);
    if (ids) {
      elsewhere.push(ids);
      continue;
    }
    const searchedFor = searchedIds(db, accountId, searched.get(filter));
    // The number is read from any index, so that a row that was not found need not be read.
    if (searchedFor && way === 'walked')
      rows.whereRaw(`+${listing.id} in (${searchedFor[0]})`, searchedFor[1] as Cell[]);
    else if (searchedFor) elsewhere.push(searchedFor);
    const [sql, bindings] = conditionOn(db, listing, accountId, filter, isChecked, passed);
    rows.whereRaw(sql, bindings as Cell[]);
  }
  return elsewhere.length === 0 ? rows : among(rows, listing.id, elsewhere, filters);
}

/**
 * Items whose ids all of these selects find. It is one condition, because for two on one column SQLite tries every id
 * of one with every id of the other, and if ids are named besides, it does not use the index.
 */
function among(
  rows: Knex.QueryBuilder,
  id: string,
  selects: readonly Sql[],
  filters: readonly ListFilter[],
): Knex.QueryBuilder {
  const [sql, bindings] = inAll(selects);
  const column = filters.some(({ field }) => field === id) ? `+${id}` : id;
  return rows.whereRaw(`${column} in (${sql})`, bindings as Cell[]);
}
