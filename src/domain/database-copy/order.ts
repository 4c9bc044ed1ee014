import type { CopyTable } from '../../store/copying.ts';
import { Failure } from '../failure.ts';

/** A table at both ends. */
export interface TablePair {
  readonly from: CopyTable;
  readonly to: CopyTable;
}

function refused(message: string): Failure {
  return new Failure('unavailable', { name: 'schema', message });
}

function columnsOf({ columns }: CopyTable): string {
  return columns.map(({ name, holds }) => `${name} ${holds}`).join(', ');
}

/** Pairs the tables by name. Throws `unavailable` for one that only one end has, or that differs: its rows would be lost. */
function pair(from: readonly CopyTable[], to: readonly CopyTable[]): TablePair[] {
  const known = new Map(to.map((table) => [table.name, table]));
  const pairs = from.map((table) => {
    const other = known.get(table.name);
    if (!other) throw refused(`the source has a table ${table.name} that is not of this release: move it elsewhere`);
    if (table.key.length === 0) throw refused(`the table ${table.name} has no primary key to copy it by`);
    if (columnsOf(table) !== columnsOf(other))
      throw refused(`the columns of ${table.name} differ in source and target`);
    known.delete(table.name);
    return { from: table, to: other };
  });
  const [surplus] = known.keys();
  if (surplus !== undefined) throw refused(`the target has a table ${surplus} that is not of this release`);
  return pairs;
}

/** The tables of both ends, each after those that its rows refer to. Throws `unavailable` when the schemas differ. */
export function tablesInOrder(from: readonly CopyTable[], to: readonly CopyTable[]): TablePair[] {
  let waiting = pair(from, to);
  const ordered: TablePair[] = [];
  while (waiting.length > 0) {
    const names = new Set(waiting.map((one) => one.from.name));
    // Of both ends: some references are constraints in one database and triggers in the other, which a copy does not run.
    const refers = ({ from, to }: TablePair) => [...from.references, ...to.references].some((name) => names.has(name));
    const free = waiting.filter((one) => !refers(one));
    if (free.length === 0) throw refused(`the tables ${[...names].join(', ')} refer to each other`);
    ordered.push(...free);
    waiting = waiting.filter(refers);
  }
  return ordered;
}
