/** Which tables lie where when the database is distributed by account. */

import type { Part } from '../../schema/describe.ts';

/**
 * Every node has all rows: of what has no account, and of what an account is found by, so that its key is the
 * installation's. Few are written, each on all nodes.
 */
const referenceTables: readonly string[] = ['accounts', 'account_hosts', 'api_keys', 'facts', 'package_bundles'];

/** The migrator's own stay where it runs. */
const localTables: readonly string[] = ['migrations', 'migrations_lock'];

/** The column that says on which node a row lies. */
export const distributionColumn = 'account_id';

export interface Placement {
  /** Rows of one account lie together, of all these tables. */
  readonly distributed: readonly string[];
  readonly reference: readonly string[];
  readonly local: readonly string[];
  /** Tables with neither an account nor a place in the lists. */
  readonly unplaced: readonly string[];
}

/** By the columns that a schema lists. */
export function placementOf(parts: readonly Pick<Part, 'kind' | 'table' | 'name'>[]): Placement {
  const tables = parts.filter(({ kind }) => kind === 'table').map(({ table }) => table);
  const named = new Set(
    parts.filter(({ kind, name }) => kind === 'column' && name === distributionColumn).map(({ table }) => table),
  );
  const listed = [...referenceTables, ...localTables];
  const others = tables.filter((table) => !listed.includes(table)).toSorted();
  return {
    distributed: others.filter((table) => named.has(table)),
    reference: referenceTables.filter((table) => tables.includes(table)),
    local: localTables.filter((table) => tables.includes(table)),
    unplaced: others.filter((table) => !named.has(table)),
  };
}
