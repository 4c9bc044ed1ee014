/**
 * Turns of user-migration. Anyone who types an unknown name fires it, and a function may take ten seconds. So only a
 * few run at a time, and those of one source run one after the other.
 */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { shareOf } from '../fair-queue/share.ts';
import { inTurn } from '../fair-queue/turns.ts';
import { perKey } from '../per-key.ts';
import type { HookRunner } from './runner.ts';

/** Concurrent turns of one account. */
const turnsOfAccount = 2;
const turnsOfHolder = 1;
/** Concurrent turns of all accounts. */
const turns = 64;
/** Maximum number of sign-ins, over all accounts, that have a turn or are waiting for one. */
const most = 256;
/** Times `hookWaitMilliseconds`: a turn may last five times as long as that, and of two one ends sooner. */
const patience = 3;

const queueOf = perKey<HookRunner, FairQueue>(() => createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most }));

/**
 * Runs `work` when the account and the source have a turn. Returns null, as for a name that no hook knows, when the
 * turn does not come within three times `hookWaitMilliseconds`, or too many are waiting.
 */
export function inMigrationTurn<Result>(
  { hooks, hookWaitMilliseconds, log }: Pick<Services, 'hooks' | 'hookWaitMilliseconds' | 'log'>,
  account: Account,
  source: string | null,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const otherwise = () => {
    log.warn('user migration not asked: too many unknown names', { account: account.record.subdomain });
    return null;
  };
  const waitMilliseconds = patience * hookWaitMilliseconds;
  return inTurn(queueOf(hooks), { share: shareOf(account, source), waitMilliseconds, otherwise }, work);
}
