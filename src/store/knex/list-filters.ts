/** Tables as lists, and what filters on them mean in SQL. */

import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { ListFilter } from '../listing.ts';
import { dialectOf } from './dialect.ts';
import { allLinked, inAll, isLinked, type Links, type Sql, unlinked } from './links.ts';
import { expressionOf, type ListColumn } from './list-index.ts';
import { amongPresent, type Removable } from './removed.ts';
import type { Cell, DbRow } from './shape.ts';

/** The ids of a filter's items: a select of one column, with its bindings. */
type Subselect = (db: Knex, accountId: number, filter: ListFilter) => Sql;

/** A table as a list. */
export interface Listing<Item> {
  readonly table: string;
  /** The number of an item: unique in the account, and what equal sort keys are told apart by. */
  readonly id: string;
  /** What its items are, where they may be removed while something hangs on them. */
  readonly removable?: Removable;
  /** Fields of the item itself, by the names of `ListQuery`. */
  readonly columns: Readonly<Record<string, ListColumn>>;
  /** Fields that links keep: by id their items are found one after the other, however many there are. */
  readonly linked?: Readonly<Record<string, readonly Links[]>>;
  /** Fields that are about what links do not name. */
  readonly unlinked?: Readonly<Record<string, Links>>;
  /** Fields that other tables keep, or several columns. */
  readonly within?: Readonly<Record<string, Subselect>>;
  read(row: DbRow): Item;
}

export function columnOf<Item>(listing: Listing<Item>, field: string): ListColumn {
  const column = Object.hasOwn(listing.columns, field) ? listing.columns[field] : undefined;
  if (!column) throw new Failure('internal', { reason: `${listing.table} is not listed by ${field}` });
  return column;
}

/** The place of a value that is compared with the column. */
export function castOf(db: Knex, { kind }: ListColumn): string {
  return kind === 'number' ? dialectOf(db).numberGiven : '?';
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
export function conditionOf(db: Knex, column: ListColumn, { test, values }: ListFilter): Sql {
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
      return [dialectOf(db).endsWith(value), [[...text].length, text]];
    case 'holds':
      return [dialectOf(db).holds(value), [text]];
  }
}

/** The ids of a filter's items, where links or other tables tell them; else null. */
function idsOf<Item>(db: Knex, { linked, within }: Listing<Item>, accountId: number, filter: ListFilter): Sql | null {
  const links = linked?.[filter.field];
  return links ? allLinked(links, accountId, filter.values) : (within?.[filter.field]?.(db, accountId, filter) ?? null);
}

/** What a row itself must satisfy. */
function conditionOn<Item>(db: Knex, listing: Listing<Item>, filter: ListFilter): Sql {
  const linked = listing.linked?.[filter.field];
  if (linked) return isLinked(linked, listing.table, listing.id, filter.values);
  const links = listing.unlinked?.[filter.field];
  if (links) return unlinked(links, listing.table, listing.id, filter.values);
  return conditionOf(db, columnOf(listing, filter.field), filter);
}

/**
 * The items of an account that satisfy all filters. Links are looked at first, to find the rows that they name; or,
 * `rowByRow`, last.
 */
export function filtered<Item>(
  db: Knex,
  listing: Listing<Item>,
  accountId: number,
  filters: readonly ListFilter[],
  rowByRow = false,
): Knex.QueryBuilder {
  const rows = db(listing.table).where(`${listing.table}.account_id`, accountId);
  if (listing.removable) {
    rows.whereRaw(amongPresent(listing.removable, `${listing.table}.${listing.id}`), [accountId]);
  }
  const elsewhere: Sql[] = [];
  for (const filter of filters) {
    // The end of every text.
    if (['begins', 'ends', 'holds'].includes(filter.test) && filter.values[0] === '') continue;
    const ids = rowByRow && listing.linked?.[filter.field] ? null : idsOf(db, listing, accountId, filter);
    if (ids) {
      elsewhere.push(ids);
      continue;
    }
    const [sql, bindings] = conditionOn(db, listing, filter);
    rows.whereRaw(sql, bindings as Cell[]);
  }
  return elsewhere.length === 0 ? rows : among(rows, listing.id, elsewhere, filters);
}

/**
 * Only items whose ids all of these selects find. As one condition: of two on one column SQLite tries every id of the
 * one with every id of the other; and where ids are named besides, one that is not looked up by index.
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
