/**
 * Long matrices. `npm test` runs a sample of their cells, always the same one; a drill whose id begins with `M` runs
 * the same files with all of them (`test/faults/matrix-drill.ts`).
 */
import { describe } from 'node:test';
import { type DatabaseKind, databases } from './stores.ts';

/** The variable that has tests run all cells, when it is `whole`. */
export const matrixVariable = 'GATEHOUSE_TEST_MATRIX';

/** Whether a drill runs the tests. */
export const isWhole = process.env[matrixVariable] === 'whole';

/** Whether the cell of this index is run: one of `every`, beginning with the one of the index `first`. */
export function isSampled(index: number, every: number, first = 0): boolean {
  return isWhole || index % every === first % every;
}

/** The cells that are run: one of `every`, beginning with the one of the index `first`. */
export function sampled<Cell>(cells: Iterable<Cell>, every: number, first = 0): Cell[] {
  return [...cells].filter((_, index) => isSampled(index, every, first));
}

/** How many values a property is tried with: an eighth of all. */
export function runsOf(all: number): number {
  return isWhole ? all : Math.ceil(all / 8);
}

/** SQLite alone, for what does not differ by the database but in the store, whose tests use both. */
export const sampledDatabases: readonly DatabaseKind[] = isWhole ? databases : ['sqlite'];

/** Declares parts of a surface's tests: all on SQLite, the first on PostgreSQL. */
export function partsOn(kind: DatabaseKind): (title: string, declare: () => void) => void {
  let isFirst = true;
  return (title, declare) => {
    if (kind === 'sqlite' || isWhole || isFirst) describe(title, declare);
    isFirst = false;
  };
}

/**
 * Declares cases with `it` of the module that calls this: all on SQLite, the first and then one in 12 on PostgreSQL.
 */
export function casesOn(
  kind: DatabaseKind,
  it: (title: string, run: () => Promise<void>) => unknown,
): (title: string, run: () => Promise<void>) => void {
  let index = 0;
  return (title, run) => {
    if (kind === 'sqlite' || isSampled(index, 12)) it(title, run);
    index += 1;
  };
}
