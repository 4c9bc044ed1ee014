/**
 * Turns of runs for users who have shown who they are. An account has few processes, and a session may ask for a run
 * with every request: so each user has one run at a time, and networks and users take turns.
 */

import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { createFairQueue, type FairQueue, type Share } from '../fair-queue/fair-queue.ts';
import { shareOf } from '../fair-queue/share.ts';
import type { HookRunner } from './runner.ts';

/** As many as the process of an account runs at a time: those who wait do so here. */
const turnsOfAccount = 4;
const turnsOfHolder = 1;
/** Of all accounts: as many as the most processes run at a time. */
const turns = 256;
/** Runs of all accounts that have a turn or wait for one. */
const most = 1024;

interface Lanes {
  readonly queue: FairQueue;
  /** Runs of each user, by account and user, that have a turn or wait for one. */
  readonly asked: Map<string, number>;
}

const lanes = new WeakMap<HookRunner, Lanes>();

function lanesOf(runner: HookRunner): Lanes {
  const known = lanes.get(runner);
  if (known) return known;
  const made = { queue: createFairQueue({ turns, turnsOfAccount, turnsOfHolder, most }), asked: new Map() };
  lanes.set(runner, made);
  return made;
}

/** Whose run it is, and the address that it comes from; null where that is not the user's. */
export interface RunFor {
  readonly user: Pick<UserRecord, 'id'>;
  readonly source: string | null;
}

/** Why nothing ran: others had the turns, or other runs of the same user had the user's. */
export type NoTurn = 'no_turn' | 'own_runs';

/**
 * Does `work` when it is the turn of the user, if that comes within `hookWaitMilliseconds` and not too many wait. What
 * the user's own runs kept waiting is told apart: nobody may get past a hook by keeping it busy.
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
    const turn = await queue.enter(shareOfUser(account, { user, source }), hookWaitMilliseconds);
    if (turn === null) return asked.get(holder) === 1 ? 'no_turn' : 'own_runs';
    return await work().finally(() => turn.end());
  } finally {
    const left = (asked.get(holder) ?? 1) - 1;
    if (left > 0) asked.set(holder, left);
    else asked.delete(holder);
  }
}

/** Within the network that it comes from, since users of one network compete with one another first. */
function shareOfUser(account: Account, { user, source }: RunFor): Share {
  const { accountId, source: from, networks = [] } = shareOf(account, source);
  const holder = `user/${user.id}`;
  return { accountId, source: `${from} ${holder}`, networks: [...networks, from], holder };
}
