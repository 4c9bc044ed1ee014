/** Statements that each connection prepares once. */

import type Sqlite from 'better-sqlite3';
import type { Cell, DbRow } from '../shape.ts';

/**
 * The text with each parameter as an expression. Where a statement sorts, groups, joins or limits, SQLite looks at the
 * values of bare parameters while it plans, and therefore plans again each time that one is bound, which takes several
 * times as long as running it. `+` changes neither value nor type, and an index is used all the same.
 */
export function plannedOnce(text: string): string {
  return text.replace(/'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\?/g, (part) => (part === '?' ? '+?' : part));
}

const prepared = new WeakMap<Sqlite.Database, Map<string, Sqlite.Statement<Cell[], DbRow>>>();

/** The texts are some hundred at most: nothing of a request ever gets into one but a bound of `list-short.ts`. */
export function statement(connection: Sqlite.Database, text: string): Sqlite.Statement<Cell[], DbRow> {
  const known = prepared.get(connection) ?? new Map<string, Sqlite.Statement<Cell[], DbRow>>();
  prepared.set(connection, known);
  const existing = known.get(text);
  if (existing) return existing;
  const made = connection.prepare<Cell[], DbRow>(plannedOnce(text));
  known.set(text, made);
  return made;
}

/** More than a service sends; those with a list of values have a text for each length of it. */
const mostKept = 500;

/**
 * What changes rows or reads them. Anything else may change tables, and with them what a prepared statement answers.
 */
const leavesTables = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;
/** Each has a text of its own. */
const names = /^\s*(?:savepoint|release|rollback to)\b/i;

const preparers = new WeakMap<Sqlite.Database, Pick<Sqlite.Database, 'prepare'>>();

/**
 * The connection as Knex asks it: Knex prepares each statement when it sends it, which costs as much as running it.
 * Here each text is prepared once, as long as there is room and no table changes.
 */
export function preparerOf(connection: Sqlite.Database): Pick<Sqlite.Database, 'prepare'> {
  const known = preparers.get(connection) ?? createPreparer(connection);
  preparers.set(connection, known);
  return known;
}

function createPreparer(connection: Sqlite.Database): Pick<Sqlite.Database, 'prepare'> {
  const kept = new Map<string, Sqlite.Statement>();
  const prepare = (text: string): Sqlite.Statement => {
    const existing = kept.get(text);
    if (existing) return existing;
    const made = connection.prepare(plannedOnce(text));
    if (names.test(text)) return made;
    if (kept.size >= mostKept || !leavesTables.test(text)) kept.clear();
    if (leavesTables.test(text)) kept.set(text, made);
    return made;
  };
  return { prepare: prepare as Sqlite.Database['prepare'] };
}
