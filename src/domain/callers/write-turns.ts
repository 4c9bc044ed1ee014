/**
 * Turns for transactions of API callers. Those of one account wait for each other's rows, the end of its trail at least,
 * and each would hold a connection meanwhile, so that calls of one account could take all of them.
 */

import type { Store } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { inTurnOfAccount, queuePerKey } from '../fair-queue/turns.ts';

/** Half of the connections that write in a process (postgres/pool-sizes.ts): others sign users in meanwhile. */
const turns = 5;
const turnsOfAccount = 3;
/** Transactions of all accounts that have a turn or wait for one. */
const most = 256;

const queueOf = queuePerKey<Store>({ turns, turnsOfAccount, most });

/** Does the work when the account has a turn. Throws `unavailable` when that takes too long, or too many wait. */
export function inWriteTurn<Result>(
  store: Store,
  account: Pick<Account, 'id'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return inTurnOfAccount(queueOf(store), account, 'too many writes are under way', work);
}
