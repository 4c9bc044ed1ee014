/**
 * Writes with a text that never changes, prepared once as fixed reads are. Only those on which nothing depends: behind
 * them nothing is written, as it is behind statements of Knex (raising.ts).
 */

import type { Knex } from 'knex';
import { mayRaise, type Operation } from './dependants.ts';
import { dialectOf } from './dialect.ts';
import { type FixedStatement, fixedStatement } from './fixed-reads.ts';
import type { Cell, DbRow } from './shape.ts';

export interface FixedWrite extends FixedStatement {
  readonly kind: 'write';
}

/** The operation and the table, by the first words. */
function targetOf([verb, second = '', third = '']: readonly string[]): readonly [Operation, string] | null {
  if (verb === 'update') return ['update', second];
  if (verb === 'insert' && second === 'into') return ['insert', third];
  return verb === 'delete' && second === 'from' ? ['delete', third] : null;
}

/** Called when a module is loaded. Throws if anything depends on what the text writes. */
export function fixedWrite(name: string, text: string): FixedWrite {
  const words = text.replaceAll('=', ' = ').split(/\s+/);
  const [operation, table = ''] = targetOf(words) ?? [];
  // Those of conditions, too, which does no harm.
  const columns = words.filter((_, at) => words[at + 1] === '=');
  if (!operation || mayRaise({ table, operation, columns })) throw new Error(`${name} is no plain write`);
  return fixedStatement('write', name, text);
}

/** What the write returns (`returning`). */
export function writeRows(db: Knex, write: FixedWrite, ...values: Cell[]): Promise<DbRow[]> {
  return dialectOf(db).writeFixed(db, write, values);
}
