/**
 * Turns of runs for authenticated users. An account has few processes, and a session may ask for a run with every
 * request. So each user has one run at a time, and networks and users take turns.
 */

import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { type Share, shareOf } from '../fair-queue/share.ts';
import { inTurn } from '../fair-queue/turns.ts';
import { perKey } from '../per-key.ts';
import type { HookRunner } from './runner.ts';

/** As many as an account's process runs concurrently, so that waiting happens here. */
const turnsOfAccount = 4;
const turnsOfHolder = 1;
/** For all accounts: as many as the maximum number of processes run concurrently. */
const turns = 256;
/** Maximum number of runs, over all accounts, that have a turn or are waiting for one. */
const most = 1024;

interface Lanes {
  readonly queue: FairQueue;
  /** Number of runs of each user, by account and user, that have a turn or are waiting for one. */
  readonly asked: Map<string, number>;
}

const lanesOf = perKey<HookRunner, Lanes>(() => ({
  queue: createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most }),
  asked: new Map(),
}));

/** The user of a run, and the address that it comes from; null if that is not the user's own. */
export interface RunFor {
  readonly user: Pick<UserRecord, 'id'>;
  readonly source: string | null;
}

/** Why nothing ran: others had the turns, or the user's own other runs did. */
export type NoTurn = 'no_turn' | 'own_runs';

/**
 * Runs `work` when the user has a turn, if that comes within `hookWaitMilliseconds` and not too many are waiting.
 * Waiting for the user's own runs is reported separately: keeping a hook busy must not be a way past it.
 */
export async function inUserTurn<Result>(
  { hooks, hookWaitMilliseconds }: Pick<Services, 'hooks' | 'hookWaitMilliseconds'>,
  account: Account,
  { user, source }: RunFor,
  work: () => Promise<Result>,
): Promise<Result | NoTurn> {
  const { queue, asked } = lanesOf(hooks);
  const holder = `${account.id}/${user.id}`;
  asked.set(holder, (asked.get(holder) ?? 0) + 1);
  try {
    const otherwise = (): NoTurn => (asked.get(holder) === 1 ? 'no_turn' : 'own_runs');
    const share = shareOfUser(account, { user, source });
    return await inTurn(queue, { share, waitMilliseconds: hookWaitMilliseconds, otherwise }, work);
  } finally {
    const left = (asked.get(holder) ?? 1) - 1;
    if (left > 0) asked.set(holder, left);
    else asked.delete(holder);
  }
}

/** Within the user's network, since users of one network compete with each other first. */
function shareOfUser(account: Account, { user, source }: RunFor): Share {
  const { accountId, source: from, networks = [] } = shareOf(account, source);
  const holder = `user/${user.id}`;
  return { accountId, source: `${from} ${holder}`, networks: [...networks, from], holder };
}
