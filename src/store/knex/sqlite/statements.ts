/** Statements that each connection prepares once. */

import type Sqlite from 'better-sqlite3';
import type { Cell, DbRow } from '../shape.ts';

const prepared = new WeakMap<Sqlite.Database, Map<string, Sqlite.Statement<Cell[], DbRow>>>();

/** The texts are a few constants: nothing of a request ever gets into one. */
export function statement(connection: Sqlite.Database, text: string): Sqlite.Statement<Cell[], DbRow> {
  const known = prepared.get(connection) ?? new Map<string, Sqlite.Statement<Cell[], DbRow>>();
  prepared.set(connection, known);
  const existing = known.get(text);
  if (existing) return existing;
  const made = connection.prepare<Cell[], DbRow>(text);
  known.set(text, made);
  return made;
}
