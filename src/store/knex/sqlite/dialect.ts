import type { Dialect } from '../dialect.ts';
import { linked, nearestOfOne } from '../links.ts';
import type { DbRow } from '../shape.ts';
import { onConnection, withOneCommit } from './client.ts';
import { statement } from './statements.ts';
import { forget, found, partsAsked, waitingOf } from './user-search.ts';

const readFixed: Dialect['readFixed'] = (db, { text }, values) =>
  onConnection(db, (connection) => statement(connection, text).all(...values));

export const sqliteDialect: Dialect = {
  lock: async () => {},
  waitFor: (rows) => rows,
  passOver: (rows) => rows,
  passingOver: '',
  withoutWaiting: 'true',
  placeOf: (key) => key,
  holdAccess: async () => true,
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  readFixed,
  lockFixed: readFixed,
  writeFixed: (db, { text }, values) =>
    withOneCommit(db, (connection) => {
      const prepared = statement(connection, text);
      if (prepared.reader) return { result: prepared.all(...values), wrote: true };
      prepared.run(...values);
      return { result: [], wrote: true };
    }),
  rowsOf: (answer) => answer as DbRow[],
  // With a cast, SQLite would not use the index of an expression, which has no type of its own.
  numberGiven: '?',
  byBytes: (text) => text,
  endsWith: (text, suffix) => [`substr(${text}, -cast(? as integer)) = ?`, [[...suffix].length, suffix]],
  holds: (text, other) => [`instr(${text}, ?) > 0`, [other]],
  userSearch: { partsAsked, found, waitingOf, forget },
  numberIn: (column, member) => `json_extract(${column}, '$.${member}')`,
  // It assumes the same share of the rows for every range (statistics.ts).
  unindexed: (value) => `+${value}`,
  // SQLite ends every index with the row's number by itself.
  indexed: (value) => value,
  listOf: (column) => `json_group_array(${column} order by ${column})`,
  nearestThrough: (links, accountId, values, stretch) => {
    // SQLite has no lateral joins: this reads up to the last id of each, which is looked up first. It runs cross joins
    // in the written order.
    const { than, id, count } = stretch;
    const [within, end] = than === '>' ? ['<=', '9223372036854775807'] : ['>=', '0'];
    const [sql, bindings] = linked(links, accountId, values);
    const last = `coalesce((${nearestOfOne(links, stretch)} 1 offset ?), ${end})`;
    const { column } = links;
    return [`${sql} and l.${column} ${than} ? and l.${column} ${within} ${last}`, [...bindings, id, id, count - 1]];
  },
};
