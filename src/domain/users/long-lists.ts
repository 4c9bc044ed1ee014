/**
 * Turns for lists that are read and written in parts. Each list keeps a part in memory for as long as its client takes
 * to read it, and one connection may ask for several at once.
 */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { shareOf } from '../fair-queue/share.ts';

const turns = 16;
const turnsOfAccount = 8;
/** Concurrent turns of one API key. */
const turnsOfHolder = 4;
/** Maximum number of lists, over all accounts, that have a turn or are waiting for one. */
const most = 256;
const waitMilliseconds = 30_000;
const retryAfterSeconds = 10;

const queues = new WeakMap<Services['store'], FairQueue>();

/**
 * Waits for a turn and returns the function that ends it. Throws `unavailable` when no turn is free for too long, or
 * too many are waiting.
 */
export async function takeListTurn({ store }: Pick<Services, 'store'>, account: Account): Promise<() => void> {
  const queue = queues.get(store) ?? createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most });
  queues.set(store, queue);
  const turn = await queue.enter(shareOf(account), waitMilliseconds);
  if (turn === null)
    throw new Failure('unavailable', { retryAfterSeconds, reason: 'too many long lists are under way' });
  return () => turn.end();
}
