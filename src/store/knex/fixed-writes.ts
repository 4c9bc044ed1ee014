/**
 * Writes with a text that never changes, prepared once as fixed reads are. Only those on which nothing depends: what
 * does is written behind statements of Knex alone (raising.ts).
 */

import type { Knex } from 'knex';
import { mayRaise, type Operation } from './dependants.ts';
import { dialectOf } from './dialect.ts';
import { type FixedRead, fixedRead } from './fixed-reads.ts';
import type { Cell, DbRow } from './shape.ts';

/** Named as a type of its own, so that no read runs as a write. */
export interface FixedWrite extends FixedRead {
  readonly writes: string;
}

const operations: Readonly<Record<string, Operation>> = {
  'insert into': 'insert',
  update: 'update',
  'delete from': 'delete',
};

/** Called when a module is loaded. Throws if anything depends on what the text writes. */
export function fixedWrite(name: string, text: string): FixedWrite {
  const [, verb = '', table = '', set = ''] =
    /^(insert into|update|delete from) (\w+)(?: set (.+?) where )?/s.exec(text) ?? [];
  const operation = operations[verb];
  const columns = [...set.matchAll(/(\w+) = /g)].map(([, column = '']) => column);
  if (!operation || mayRaise({ table, operation, columns })) throw new Error(`${name} is no plain write`);
  return { ...fixedRead(name, text), writes: table };
}

/** What the write returns (`returning`). */
export function writeRows(db: Knex, write: FixedWrite, ...values: Cell[]): Promise<DbRow[]> {
  return dialectOf(db).writeFixed(db, write, values);
}
