/**
 * A page of the items that have a part of a text, found together with their total: an index of parts finds them in no
 * order of a list, so that a statement for each would read all of them twice.
 */

import { dialectOf } from './dialect.ts';
import { type Asked, readOf, rowsOf } from './list-order.ts';
import { isOfRows } from './list-walk.ts';
import type { Cell, DbRow } from './shape.ts';

/** A page of more is soon met by reading in the order of the list, and a total counts them without keeping them. */
const mostFound = 10_000;

interface Found {
  readonly total: number;
  readonly rows: DbRow[];
}

/** Up to `count` rows after the first `skipped`. Null where two statements are better. */
export async function findWithTotal<Item>(asked: Asked<Item>, skipped: number, count: number): Promise<Found | null> {
  const { db, listing, accountId, query, order } = asked;
  const dialect = dialectOf(db);
  const isPart = query.filters.some(({ test }) => test === 'holds' || test === 'ends');
  if (!isPart || dialect.userSearch || !isOfRows(asked)) return null;
  const { table, id } = listing;
  const found = rowsOf(asked)
    .select(`${table}.${id} as place_id`)
    .select(db.raw(`${order.key} as list_key`))
    .limit(mostFound + 1);
  const direction = order.descending ? 'desc' : 'asc';
  const sorted = `list_key ${direction}, place_id ${direction}`;
  const page = db.select('place_id', 'list_key').from('found').orderByRaw(sorted).offset(skipped).limit(count);
  const answer = await db.raw(
    `with found as materialized ?
     select ${readOf(listing, query)}, place_id, list_key, total from (select count(*) as total from found) as whole
       left join ? as place on true
       left join ${table} on ${table}.account_id = ? and ${table}.${id} = place_id
     order by ${sorted}`,
    [found, page, accountId] as Cell[],
  );
  const rows = dialect.rowsOf(answer);
  const total = Number(rows[0]?.['total']);
  return total > mostFound ? null : { total, rows: rows.filter((row) => row['place_id'] !== null) };
}
