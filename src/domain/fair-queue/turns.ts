/** Queues by what they are for, and work that waits in one. */

import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { FairQueue, Turn } from './fair-queue.ts';
import { type Share, shareOf } from './share.ts';

interface Waiting<Other> {
  readonly share: Share;
  /** Default: as long as it takes. */
  readonly waitMilliseconds?: number | undefined;
  /** Called in place of the work when others had the turns for that long, or too many wait. */
  readonly otherwise: () => Other;
}

/** Does the work when the share has a turn, and gives the turn back whatever becomes of it. */
export async function inTurn<Result, Other>(
  queue: FairQueue,
  { share, waitMilliseconds, otherwise }: Waiting<Other>,
  work: () => Promise<Result>,
): Promise<Result | Other> {
  const turn = await queue.enter(share, waitMilliseconds);
  return turn === null ? otherwise() : during(turn, work);
}

/** How long calls of an account wait for a turn, and when their callers are to come again without one. */
interface Patience {
  readonly waitMilliseconds: number;
  readonly retryAfterSeconds: number;
}

export const retryAfterSeconds = 10;
const usual: Patience = { waitMilliseconds: 30_000, retryAfterSeconds };

/** Waits for a turn of the account. Throws `unavailable` when others had the turns for too long, or too many wait. */
export async function takeTurnOfAccount(
  queue: FairQueue,
  account: Pick<Account, 'id'>,
  reason: string,
  patience: Patience = usual,
): Promise<Turn> {
  const turn = await queue.enter(shareOf(account), patience.waitMilliseconds);
  if (turn === null) throw new Failure('unavailable', { retryAfterSeconds: patience.retryAfterSeconds, reason });
  return turn;
}

/** Does the work when the account has a turn. Throws `unavailable` as `takeTurnOfAccount` does. */
export async function inTurnOfAccount<Result>(
  queue: FairQueue,
  account: Pick<Account, 'id'>,
  reason: string,
  work: () => Promise<Result>,
  patience?: Patience,
): Promise<Result> {
  return during(await takeTurnOfAccount(queue, account, reason, patience), work);
}

async function during<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    turn.end();
  }
}
