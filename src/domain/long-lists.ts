/**
 * Turns for lists that are read and written in parts. Each list keeps a part in memory for as long as its client takes
 * to read it, and one connection may ask for several at once.
 */

import type { Services } from '../services.ts';
import type { Account } from './accounts/account.ts';
import { Failure } from './failure.ts';
import { createFairQueue, type FairQueue } from './fair-queue/fair-queue.ts';
import { retryAfterSeconds, takeTurnOfAccount } from './fair-queue/turns.ts';
import { perKey } from './per-key.ts';

const turns = 16;
const turnsOfAccount = 4;
/** Of one API key. */
const turnsOfHolder = 2;
/** Lists of all accounts that have a turn or wait for one. */
const most = 256;
/** So long a turn is its list's own; from then on it ends as soon as another account waits for room. */
const ownMilliseconds = 60_000;
const lookMilliseconds = 1_000;

const queueOf = perKey<Services['store'], FairQueue>(() =>
  createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most }),
);

/**
 * Answers what ends the turn, once it is there; `onLost` is called where the turn ends before that, so that others get
 * theirs however slowly a client reads. Throws `unavailable` when others had the turns for too long, or too many wait.
 */
export async function takeListTurn(
  { store }: Pick<Services, 'store'>,
  account: Account,
  onLost: (reason: Failure) => void,
): Promise<() => void> {
  const turn = await takeTurnOfAccount(queueOf(store), account, 'too many long lists are under way');
  let timer: NodeJS.Timeout | null = null;
  const look = () => {
    if (!turn.isWanted()) {
      timer = setTimeout(look, lookMilliseconds).unref();
      return;
    }
    timer = null;
    turn.end();
    const reason = 'a long list took too long, and others wait';
    onLost(new Failure('unavailable', { retryAfterSeconds, reason }));
  };
  timer = setTimeout(look, ownMilliseconds).unref();
  return () => {
    if (timer === null) return;
    clearTimeout(timer);
    turn.end();
  };
}
