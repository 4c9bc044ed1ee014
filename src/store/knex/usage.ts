import type { Knex } from 'knex';
import type { ConnectionUsage } from '../usage.ts';

/** The pool that Knex keeps (tarn). */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** `queued`: calls that wait before they ask the pool. */
export function usageOf(pool: ConnectionUsage['pool'], db: Knex, queued = 0): ConnectionUsage {
  const { pool: kept }: { readonly pool?: Pool } = db.client;
  // None is left once the store is closed.
  if (!kept) return { pool, used: 0, free: 0, waiting: 0 };
  return { pool, used: kept.numUsed(), free: kept.numFree(), waiting: queued + kept.numPendingAcquires() };
}
