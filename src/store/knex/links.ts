/**
 * Ids that tables of links name: all that belong to something, or those next to a position, in the order of an index.
 */

import type { Knex } from 'knex';
import { dialectOf } from './dialect.ts';
import { type Reference, refersAmongPresent, refersToPresent } from './removed.ts';
import type { Cell } from './shape.ts';

export type Sql = readonly [sql: string, bindings: readonly Cell[]];

/** A table with the column `by` of the links, and another one, `by`, that names what is asked for. */
export interface Through {
  readonly table: string;
  readonly by: Reference;
}

/** A table that links items to something else. An index leads from `by` to `column`, in its order. */
export interface Links {
  readonly table: string;
  /** Names the items. */
  readonly column: string;
  /** Names what they are linked to. */
  readonly by: Reference;
  /** Where what is asked for is linked to that in turn. */
  readonly through?: Through;
}

/** So many ids beyond one in the order of ids, nearest first. */
export interface Stretch {
  readonly than: '<' | '>';
  readonly id: number;
  readonly count: number;
}

/** The places of numbers in a list. */
export function places(values: readonly Cell[]): string {
  return values.map(() => 'cast(? as bigint)').join(', ');
}

function directionOf({ than }: Stretch): 'asc' | 'desc' {
  return than === '>' ? 'asc' : 'desc';
}

/** All that is linked to one of these. */
export function linked({ table, column, by, through }: Links, accountId: number, values: readonly Cell[]): Sql {
  const asked = places(values);
  if (!through) {
    const own = `account_id = ? and ${by} in (${asked}) and ${refersAmongPresent(by)}`;
    return [`select ${column} from ${table} where ${own}`, [accountId, ...values, accountId]];
  }
  const sql = `select l.${column} from ${through.table} k cross join ${table} l where k.account_id = ?
    and k.${through.by} in (${asked}) and l.account_id = k.account_id and l.${by} = k.${by}
    and ${refersToPresent('k', by)} and ${refersToPresent('k', through.by)}`;
  return [sql, [accountId, ...values]];
}

/** The ids that one row, `k`, is linked to, nearest first; the limit is to follow. Binding: the id they are beyond. */
export function nearestOfOne({ table, column, by }: Links, stretch: Stretch): string {
  return `select x.${column} from ${table} x where x.account_id = k.account_id and x.${by} = k.${by}
    and x.${column} ${stretch.than} ? order by x.${column} ${directionOf(stretch)} limit`;
}

/** Of each that it is linked to, since each has its own range of the index: the nearest of all are among them. */
function linkedWithin(db: Knex, links: Links, accountId: number, values: readonly Cell[], stretch: Stretch): Sql[] {
  const { table, column, by, through } = links;
  if (through) return [dialectOf(db).nearestThrough({ ...links, through }, accountId, values, stretch)];
  const { than, id, count } = stretch;
  const sql = `select ${column} from ${table} where account_id = ? and ${by} = cast(? as bigint)
      and ${column} ${than} ? and ${refersAmongPresent(by)} order by ${column} ${directionOf(stretch)} limit ?`;
  return values.map((value) => [sql, [accountId, value, id, accountId, count]]);
}

/** A name for each part, so that its own order and limit stay its own. */
function joinedBy(operator: 'union' | 'intersect', selects: readonly Sql[]): Sql {
  const sql = selects.map(([one], part) => `select * from (${one}) part_${part}`).join(` ${operator} `);
  return [sql, selects.flatMap(([, bindings]) => bindings)];
}

/** The ids that all of these selects find. */
export function inAll(selects: readonly Sql[]): Sql {
  return joinedBy('intersect', selects);
}

/** Every id that one of these links names. */
export function allLinked(by: readonly Links[], accountId: number, values: readonly Cell[]): Sql {
  return joinedBy(
    'union',
    by.map((links) => linked(links, accountId, values)),
  );
}

/** The nearest of them, in their order. */
export function nearestLinked(
  db: Knex,
  by: readonly Links[],
  accountId: number,
  values: readonly Cell[],
  stretch: Stretch,
): Sql {
  const parts = by.flatMap((links) => linkedWithin(db, links, accountId, values, stretch));
  const [sql, bindings] = joinedBy('union', parts);
  return [`${sql} order by 1 ${directionOf(stretch)} limit ?`, [...bindings, stretch.count]];
}

/**
 * The condition of a row of `named`, whose column is `id`, that one of these links names it. As a value and not as
 * `exists`, which both databases may turn into a join that begins with all the links.
 */
export function isLinked(by: readonly Links[], named: string, id: string, values: readonly Cell[]): Sql {
  const ways = by.map(({ table, column, by: to, through }) => {
    const row = `l.account_id = ${named}.account_id and l.${column} = ${named}.${id} and ${refersToPresent('l', to)}`;
    const found = through
      ? `select 1 from ${table} l join ${through.table} k on k.account_id = l.account_id and k.${to} = l.${to}
          where ${row} and k.${through.by} in (${places(values)}) and ${refersToPresent('k', through.by)} limit 1`
      : `select 1 from ${table} l where ${row} and l.${to} in (${places(values)}) limit 1`;
    return `(${found}) is not null`;
  });
  return [`(${ways.join(' or ')})`, by.flatMap(() => values)];
}

/** The condition of a row of `named`, whose column is `id`, that the links do not name it. */
export function unlinked({ table, column, by }: Links, named: string, id: string, values: readonly Cell[]): Sql {
  const sql = `not exists (select 1 from ${table} l where l.account_id = ${named}.account_id
    and l.${column} = ${named}.${id} and l.${by} in (${places(values)}))`;
  return [sql, values];
}
