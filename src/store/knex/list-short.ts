/**
 * Short pages next to a position, without a filter, as a console turns them. The list, its order and a bound on the
 * number of rows are all that gets into the text of such a statement, so each connection prepares it once: building it
 * with Knex and planning it takes several times as long as PostgreSQL takes to answer it.
 */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { isShort, type ListPosition, shortPage } from '../listing.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { type FixedRead, numbered, readRows } from './fixed-reads.ts';
import { type Asked, furtherOn } from './list-order.ts';
import type { Cell, DbRow } from './shape.ts';

/** Bounds on the rows of a statement, for which PostgreSQL plans it. Rows beyond those requested are dropped. */
const bounds = [1, 51, shortPage + 1];
/** Maximum number of statements: each connection keeps those that it has run until it is closed. */
const mostKept = 100;

/** What stands for the values of a request while a text is built. */
const places = { accountId: -1, key: -2, id: -3 } as const;

/** Selects rows beyond a position, in the order in which they are read. */
export type Beyond = <Item>(asked: Asked<Item>, position: ListPosition, backwards: boolean) => Knex.QueryBuilder;

interface Built {
  readonly read: FixedRead;
  /** A place for each `?`. */
  readonly bindings: readonly unknown[];
}

interface Kept {
  /** By list, and by what tells its statements apart. A list that is made for a call has a condition of its own. */
  readonly lists: WeakMap<object, Map<string, Built>>;
  readonly reads: FixedRead[];
}

const known = new WeakMap<Dialect, Kept>();

function keptBy(db: Knex): Kept {
  const dialect = dialectOf(db);
  const kept = known.get(dialect) ?? { lists: new WeakMap(), reads: [] };
  known.set(dialect, kept);
  return kept;
}

/** Those that were built in this process, for the tests of plans. */
export function shortReads(db: Knex): readonly FixedRead[] {
  return keptBy(db).reads;
}

function build(rows: Knex.QueryBuilder, bound: number): Built {
  const { sql, bindings } = rows.limit(bound, { skipBinding: true }).toSQL();
  const isPlace = (value: unknown) => Object.values<unknown>(places).includes(value);
  if (!bindings.every(isPlace)) throw new Error(`a list has values of its own: ${sql}`);
  const name = `page-${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
  return { read: { kind: 'read', name, text: sql, numbered: numbered(sql) }, bindings };
}

/** The statement of such a page; null for other pages. */
function statementOf<Item>(asked: Asked<Item>, beyond: Beyond, backwards: boolean, bound: number): Built | null {
  const { db, query, listing } = asked;
  const { lists, reads } = keptBy(db);
  const name = `${beyond.name} ${query.sort.field} ${furtherOn(asked, backwards)} ${bound}`;
  const built = lists.get(listing)?.get(name);
  if (built) return built;
  if (reads.length >= mostKept) return null;
  const one = build(beyond({ ...asked, accountId: places.accountId }, places, backwards), bound);
  lists.set(listing, (lists.get(listing) ?? new Map<string, Built>()).set(name, one));
  reads.push(one.read);
  return one;
}

/** Up to `count` rows of such a page; null for other pages, and for those of which only the ids are read. */
export async function readShort<Item>(
  asked: Asked<Item>,
  beyond: Beyond,
  position: ListPosition,
  backwards: boolean,
  count: number,
): Promise<DbRow[] | null> {
  const { db, query, listing, accountId } = asked;
  const bound = bounds.find((one) => one >= count);
  if (bound === undefined || !isShort(query) || query.part !== undefined || listing.only) return null;
  const built = statementOf(asked, beyond, backwards, bound);
  if (!built) return null;
  const given = new Map<unknown, Cell>([
    [places.accountId, accountId],
    [places.key, position.key],
    [places.id, position.id],
  ]);
  const values = built.bindings.map((place) => given.get(place) as Cell); // One of them, by `build`.
  return (await readRows(db, built.read, ...values)).slice(0, count);
}
