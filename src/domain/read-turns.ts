/**
 * Turns of reads of many rows (lists, searches, totals, exports). The store has few threads or connections for them,
 * and a list may keep one for seconds.
 */

import type { InReadTurn, ReadPlaces } from '../store/read-turns.ts';
import { createFairQueue } from './fair-queue/fair-queue.ts';
import { inTurnOfAccount } from './fair-queue/turns.ts';

/** Reads of all accounts that have a turn or wait for one: others would wait longer than their callers. */
const most = 100;
/** No account has this number: what the service reads for itself is a party of its own. */
const ofTheService = 0;

/**
 * An account has several turns only while no other one waits. Alone it may use them all, and a read that finds one free
 * begins at once.
 */
export function createReadTurns({ turns, waitMilliseconds }: ReadPlaces): InReadTurn {
  const queue = createFairQueue({ turns, fewestFirst: true, most });
  const patience = { waitMilliseconds, retryAfterSeconds: 1 };
  return (accountId, work) =>
    inTurnOfAccount(queue, { id: accountId ?? ofTheService }, 'too many lists are being read', work, patience);
}
