/** Turns of imports by call: each is up to a second of work, and an account may ask for many at once. */

import type { Services } from '../../../services.ts';
import type { Account } from '../../accounts/account.ts';
import { createFairQueue, type FairQueue } from '../../fair-queue/fair-queue.ts';
import { inTurnOfAccount } from '../../fair-queue/turns.ts';
import { perKey } from '../../per-key.ts';

const turns = 4;
const turnsOfAccount = 1;
/** Imports of all accounts that have a turn or wait for one. */
const most = 64;

/** Kept by `passwords`, which all requests of a process share; each has a store of its own. */
const queueOf = perKey<Services['passwords'], FairQueue>(() => createFairQueue({ turns, turnsOfAccount, most }));

/** Does the work when the account has a turn. Throws `unavailable` when that takes too long, or too many wait. */
export function inImportTurn(
  { passwords }: Pick<Services, 'passwords'>,
  account: Account,
  work: () => Promise<void>,
): Promise<void> {
  return inTurnOfAccount(queueOf(passwords), account, 'too many imports are under way', work);
}
