/** Ids that tables of links name: all that belong to something, or those next to a position, in the order of an index. */

import type { Cell } from './shape.ts';

export type Sql = readonly [sql: string, bindings: readonly Cell[]];

/** A table that links items to something else. An index leads from `by` to `column`, in its order. */
export interface Links {
  readonly table: string;
  /** Names the items. */
  readonly column: string;
  /** Names what they are linked to. */
  readonly by: string;
  /** Where what is asked for is linked to that in turn: a table with the column `by`, and its other column. */
  readonly through?: { readonly table: string; readonly by: string };
}

/** So many ids beyond one in the order of ids, nearest first. */
export interface Stretch {
  readonly than: '<' | '<=' | '>' | '>=';
  readonly id: number;
  readonly count: number;
}

function places(values: readonly Cell[]): string {
  return values.map(() => 'cast(? as bigint)').join(', ');
}

function directionOf({ than }: Stretch): 'asc' | 'desc' {
  return than.startsWith('>') ? 'asc' : 'desc';
}

/** The links of both tables. A cross join is read by SQLite in the order in which it is written. */
function joined({ table, by, through }: Links & { through: object }, values: readonly Cell[]): string {
  return `from ${through.table} k cross join ${table} l where k.account_id = ? and k.${through.by} in (${places(values)})
    and l.account_id = k.account_id and l.${by} = k.${by}`;
}

function linked(links: Links, accountId: number, values: readonly Cell[]): Sql {
  const { table, column, by, through } = links;
  const bindings = [accountId, ...values];
  if (through) return [`select l.${column} ${joined({ ...links, through }, values)}`, bindings];
  return [`select ${column} from ${table} where account_id = ? and ${by} in (${places(values)})`, bindings];
}

/** Of each that it is linked to, since each has its own range of the index: the nearest of all are among them. */
function linkedWithin(links: Links, accountId: number, values: readonly Cell[], stretch: Stretch): Sql[] {
  const { table, column, by, through } = links;
  const { than, id, count } = stretch;
  const direction = directionOf(stretch);
  if (!through) {
    const sql = `select ${column} from ${table} where account_id = ? and ${by} = cast(? as bigint)
      and ${column} ${than} ? order by ${column} ${direction} limit ?`;
    return values.map((value) => [sql, [accountId, value, id, count]]);
  }
  const [within, end] = direction === 'asc' ? ['<=', '9223372036854775807'] : ['>=', '0'];
  const last = `select x.${column} from ${table} x where x.account_id = k.account_id and x.${by} = k.${by}
    and x.${column} ${than} ? order by x.${column} ${direction} limit 1 offset ?`;
  const sql = `select l.${column} ${joined({ ...links, through }, values)}
    and l.${column} ${than} ? and l.${column} ${within} coalesce((${last}), ${end})`;
  return [[sql, [accountId, ...values, id, id, count - 1]]];
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

/** What links say of an item: that one of these names it, or that this one does not, of all items of a table. */
export type Linked =
  | { readonly by: readonly Links[] }
  | { readonly notBy: Links; readonly table: string; readonly id: string };

/** Every id. */
export function allLinked(said: Linked, accountId: number, values: readonly Cell[]): Sql {
  if ('by' in said) {
    return joinedBy(
      'union',
      said.by.map((links) => linked(links, accountId, values)),
    );
  }
  const [sql, bindings] = linked(said.notBy, accountId, values);
  return [`select ${said.id} from ${said.table} where account_id = ? except ${sql}`, [accountId, ...bindings]];
}

/** The nearest ids, in their order. */
export function nearestLinked(said: Linked, accountId: number, values: readonly Cell[], stretch: Stretch): Sql {
  const { than, id, count } = stretch;
  const end = `order by 1 ${directionOf(stretch)} limit ?`;
  if ('by' in said) {
    const parts = said.by.flatMap((links) => linkedWithin(links, accountId, values, stretch));
    const [sql, bindings] = joinedBy('union', parts);
    return [`${sql} ${end}`, [...bindings, count]];
  }
  const { notBy, table, id: column } = said;
  // Not `except` as above: PostgreSQL would read both sides to their ends.
  return [
    `select o.${column} from ${table} o where o.account_id = ? and o.${column} ${than} ? and not exists (
      select 1 from ${notBy.table} l where l.account_id = o.account_id and l.${notBy.column} = o.${column}
        and l.${notBy.by} in (${places(values)})) ${end}`,
    [accountId, id, ...values, count],
  ];
}
