/** Ids in link tables: all that belong to something, or those next to a position, in index order. */

import type { Knex } from 'knex';
import { dialectOf } from './dialect.ts';
import { type Reference, refersAmongPresent, refersToPresent } from './removed.ts';
import type { Cell } from './shape.ts';

export type Sql = readonly [sql: string, bindings: readonly Cell[]];

/** A table with the `by` column of the links, and a `by` of its own for the requested value. */
export interface Through {
  readonly table: string;
  readonly by: Reference;
}

/** A table that links items to something else. It has an index from `by` to `column`, in that order. */
export interface Links {
  readonly table: string;
  /** References the items. */
  readonly column: string;
  /** References what they are linked to. */
  readonly by: Reference;
  /** For an indirect link, the table between. */
  readonly through?: Through;
}

/** This many ids beyond a given one, nearest first. */
export interface Stretch {
  readonly than: '<' | '>';
  readonly id: number;
  readonly count: number;
}

/** Placeholders for the values of a list. */
export function places(values: readonly Cell[]): string {
  return values.map(() => 'cast(? as bigint)').join(', ');
}

function directionOf({ than }: Stretch): 'asc' | 'desc' {
  return than === '>' ? 'asc' : 'desc';
}

/** All items linked to one of these. */
export function linked({ table, column, by, through }: Links, accountId: number, values: readonly Cell[]): Sql {
  const asked = places(values);
  if (!through) {
    const [present, bindings] = refersAmongPresent(by, accountId);
    const own = `account_id = ? and ${by} in (${asked}) and ${present}`;
    return [`select ${column} from ${table} where ${own}`, [accountId, ...values, ...bindings]];
  }
  const sql = `select l.${column} from ${through.table} k cross join ${table} l where k.account_id = ?
    and k.${through.by} in (${asked}) and l.account_id = k.account_id and l.${by} = k.${by}
    and ${refersToPresent('k', by)} and ${refersToPresent('k', through.by)}`;
  return [sql, [accountId, ...values]];
}

/** The ids linked to one row, `k`, nearest first; the limit follows. Binding: the id that they are beyond. */
export function nearestOfOne({ table, column, by }: Links, stretch: Stretch): string {
  return `select x.${column} from ${table} x where x.account_id = k.account_id and x.${by} = k.${by}
    and x.${column} ${stretch.than} ? order by x.${column} ${directionOf(stretch)} limit`;
}

/** One part per linked value, since each has its own range of the index: the nearest of all are among them. */
function linkedWithin(db: Knex, links: Links, accountId: number, values: readonly Cell[], stretch: Stretch): Sql[] {
  const { table, column, by, through } = links;
  if (through) return [dialectOf(db).nearestThrough({ ...links, through }, accountId, values, stretch)];
  const { than, id, count } = stretch;
  const [present, bindings] = refersAmongPresent(by, accountId);
  const sql = `select ${column} from ${table} where account_id = ? and ${by} = cast(? as bigint)
      and ${column} ${than} ? and ${present} order by ${column} ${directionOf(stretch)} limit ?`;
  return values.map((value) => [sql, [accountId, value, id, ...bindings, count]]);
}

/** A name for each part, so that its order and limit apply to it alone. */
function joinedBy(operator: 'union' | 'intersect', selects: readonly Sql[]): Sql {
  const sql = selects.map(([one], part) => `select * from (${one}) part_${part}`).join(` ${operator} `);
  return [sql, selects.flatMap(([, bindings]) => bindings)];
}

/** The ids that all of these selects find. */
export function inAll(selects: readonly Sql[]): Sql {
  return joinedBy('intersect', selects);
}

/** The ids that one of them finds. */
export function either(one: Sql, other: Sql): Sql {
  return [`${one[0]} union all ${other[0]}`, [...one[1], ...other[1]]];
}

/** Every id in one of these links. */
export function allLinked(by: readonly Links[], accountId: number, values: readonly Cell[]): Sql {
  return joinedBy(
    'union',
    by.map((links) => linked(links, accountId, values)),
  );
}

/** The nearest of them, in order. */
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
 * A condition: one of these links references the row of `named`, whose column is `id`. It compares a value instead of
 * using `exists`, which both databases may turn into a join that begins with all the links.
 */
export function isLinked(
  by: readonly Links[],
  accountId: number,
  named: string,
  id: string,
  values: readonly Cell[],
): Sql {
  const ways = by.map(({ table, column, by: to, through }) => {
    const row = `l.account_id = ? and l.${column} = ${named}.${id} and ${refersToPresent('l', to)}`;
    const found = through
      ? `select 1 from ${table} l join ${through.table} k on k.account_id = l.account_id and k.${to} = l.${to}
          where ${row} and k.${through.by} in (${places(values)}) and ${refersToPresent('k', through.by)} limit 1`
      : `select 1 from ${table} l where ${row} and l.${to} in (${places(values)}) limit 1`;
    return `(${found}) is not null`;
  });
  return [`(${ways.join(' or ')})`, by.flatMap(() => [accountId, ...values])];
}

/** A condition: the links do not reference the row of `named`, whose column is `id`. */
export function unlinked({ table, column, by }: Links, named: string, id: string, values: readonly Cell[]): Sql {
  const sql = `not exists (select 1 from ${table} l where l.account_id = ${named}.account_id
    and l.${column} = ${named}.${id} and l.${by} in (${places(values)}))`;
  return [sql, values];
}
