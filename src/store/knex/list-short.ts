/**
 * Short pages next to a position, without a filter, as a console turns them. The list, its order and a bound on the
 * number of rows are all that gets into the text of such a statement, so each connection prepares it once: building it
 * with Knex and planning it takes several times as long as PostgreSQL takes to answer it.
 */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { isShort, type ListPosition } from '../listing.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { type FixedRead, numbered, readRows } from './fixed-reads.ts';
import type { Asked } from './list-order.ts';
import type { Cell, DbRow } from './shape.ts';

/** What a statement reads: few texts, each planned for as few rows as it has. Rows beyond those requested are dropped. */
const bounds = [1, 11, 51, 101];

/** What stands for the values of a request while a text is built. */
const places = { accountId: -1, key: -2, id: -3 } as const;

/** Selects rows beyond a position, in the order in which they are read. */
export type Beyond = <Item>(asked: Asked<Item>, position: ListPosition, backwards: boolean) => Knex.QueryBuilder;

interface Built {
  readonly read: FixedRead;
  /** A place, or a value of the list itself, for each `?`. */
  readonly bindings: readonly unknown[];
}

/** Of lists that their modules make, by what tells the texts of one list apart. */
const known = new WeakMap<Dialect, WeakMap<object, Map<string, Built>>>();

function builtFor(dialect: Dialect, listing: object): Map<string, Built> {
  const ofDialect = known.get(dialect) ?? new WeakMap<object, Map<string, Built>>();
  const found = ofDialect.get(listing) ?? new Map<string, Built>();
  known.set(dialect, ofDialect.set(listing, found));
  return found;
}

function build(rows: Knex.QueryBuilder, bound: number): Built {
  const { sql, bindings } = rows.limit(bound, { skipBinding: true }).toSQL();
  const name = `page-${createHash('sha256').update(sql).digest('base64url')}`;
  return { read: { kind: 'read', name, text: sql, numbered: numbered(sql) }, bindings };
}

/** Up to `count` rows of such a page; null for other pages. */
export async function readShort<Item>(
  asked: Asked<Item>,
  beyond: Beyond,
  position: ListPosition,
  backwards: boolean,
  count: number,
): Promise<DbRow[] | null> {
  const { db, query, listing, accountId } = asked;
  const bound = bounds.find((one) => one >= count);
  if (bound === undefined || !isShort(query) || listing.only) return null;
  const built = builtFor(dialectOf(db), listing);
  const { field, descending } = query.sort;
  const name = [beyond.name, field, descending, backwards, query.part === 'ids', bound].join(' ');
  const one = built.get(name) ?? build(beyond({ ...asked, accountId: places.accountId }, places, backwards), bound);
  built.set(name, one);
  const given = new Map<unknown, Cell>([
    [places.accountId, accountId],
    [places.key, position.key],
    [places.id, position.id],
  ]);
  const values = one.bindings.map((value) => given.get(value) ?? (value as Cell));
  return (await readRows(db, one.read, ...values)).slice(0, count);
}
