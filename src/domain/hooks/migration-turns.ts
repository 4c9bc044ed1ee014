/**
 * Turns of user-migration. Anybody who types a name that nobody has fires it, and a function may take ten seconds: so
 * few run at a time, and those of one source one after the other.
 */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { shareOf } from '../fair-queue/share.ts';
import type { HookRunner } from './runner.ts';

/** Sign-ins for which the hooks of an account run at a time. */
const turnsOfAccount = 2;
const turnsOfHolder = 1;
/** Of all accounts. */
const turns = 64;
/** Sign-ins of all accounts that have a turn or wait for one. */
const most = 256;
/** Times `hookWaitMilliseconds`: a turn may last five times as long as that, and of two one ends sooner. */
const patience = 3;

const queues = new WeakMap<HookRunner, FairQueue>();

/**
 * Does `work` when it is the turn of the account and the source. Null, as for a name that no hook knows, when the turn
 * does not come within three times `hookWaitMilliseconds`, or too many wait.
 */
export async function inMigrationTurn<Result>(
  { hooks, hookWaitMilliseconds, log }: Pick<Services, 'hooks' | 'hookWaitMilliseconds' | 'log'>,
  account: Account,
  source: string | null,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const queue = queues.get(hooks) ?? createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most });
  queues.set(hooks, queue);
  const turn = await queue.enter(shareOf(account, source), patience * hookWaitMilliseconds);
  if (turn === null) {
    log.warn('user migration not asked: too many unknown names', { account: account.record.subdomain });
    return null;
  }
  try {
    return await work();
  } finally {
    turn.end();
  }
}
