import { expiringTables, type PurgedTable, type Slice, sweptTables } from '../../src/store/purge.ts';
import type { Store } from '../../src/store/store.ts';

export const purgedTables: readonly PurgedTable[] = [...expiringTables, ...sweptTables];

/** Slices of a table, one after the other, until nothing is left to delete. */
export async function purgeTable(store: Store, table: PurgedTable, now: number, limit = 1000): Promise<Slice[]> {
  const slices: Slice[] = [];
  for (;;) {
    const from = slices.at(-1)?.reached ?? null;
    const slice = await store.purge({ table, now, from, limit });
    slices.push(slice);
    if (slice.isLast) return slices;
  }
}

/** Deletes all that is of no use any more; answers how many rows. */
export async function purgeAll(store: Store, now: number): Promise<number> {
  let deleted = 0;
  for (const table of purgedTables) {
    for (const slice of await purgeTable(store, table, now)) deleted += slice.deleted;
  }
  return deleted;
}
