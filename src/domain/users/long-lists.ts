/**
 * Turns of lists that are read and written in parts: each holds its parts in memory for as long as its client takes to
 * read them, and one connection may ask for several at once.
 */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { shareOf } from '../fair-queue/share.ts';

const turns = 16;
const turnsOfAccount = 8;
/** Of one API key. */
const turnsOfHolder = 4;
/** Lists of all accounts that have a turn or wait for one. */
const most = 256;
const waitMilliseconds = 30_000;
const retryAfterSeconds = 10;

const queues = new WeakMap<Services['store'], FairQueue>();

/**
 * Answers what ends the turn, once it is there. Throws `unavailable` when others had the turns for too long, or too many
 * wait.
 */
export async function takeListTurn({ store }: Pick<Services, 'store'>, account: Account): Promise<() => void> {
  const queue = queues.get(store) ?? createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most });
  queues.set(store, queue);
  const turn = await queue.enter(shareOf(account), waitMilliseconds);
  if (turn === null)
    throw new Failure('unavailable', { retryAfterSeconds, reason: 'too many long lists are under way' });
  return () => turn.end();
}
