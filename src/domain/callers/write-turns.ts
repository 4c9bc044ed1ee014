/**
 * Turns for transactions of API callers. On PostgreSQL those of one account wait for each other's rows, the end of its
 * trail at least, and each would hold a connection meanwhile, so that calls of one account could take all of them. On
 * SQLite all transactions have one connection, and a sign-in would wait behind each that waits for it.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { inTurnOfAccount } from '../fair-queue/turns.ts';
import { perKey } from '../per-key.ts';

/** Transactions of all accounts that have a turn or wait for one. */
const most = 256;

const queueOf = {
  // Half of the connections that write in a process (postgres/pool-sizes.ts): others sign users in meanwhile.
  postgres: perKey<Store, FairQueue>(() => createFairQueue({ turns: 5, turnsOfAccount: 3, most })),
  sqlite: perKey<Store, FairQueue>(() => createFairQueue({ turns: 1, most })),
};

const nothing = () => {};

/** A transaction that takes longer is followed by a rest: what others do needs the connection several times. */
const longMilliseconds = 50;
const lookMilliseconds = 5;
/** After so many looks at which nobody had it, no request of others is under way. */
const idleLooks = 2;

/**
 * Does the work when the account has a turn; it says when its transaction has the connection, and when it has nothing
 * left to do but to commit: the next one may share that commit. Throws `unavailable` when the turn takes too long, or
 * too many wait.
 */
export function inWriteTurn<Result>(
  store: Store,
  account: Pick<Account, 'id'>,
  work: (begun: () => void, ended: () => void) => Promise<Result>,
): Promise<Result> {
  const queue = queueOf[store.kind](store);
  const reason = 'too many writes are under way';
  if (store.kind === 'postgres') return inTurnOfAccount(queue, account, reason, () => work(nothing, nothing));
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const turn = inTurnOfAccount(queue, account, reason, async () => {
    let begunAt = Number.POSITIVE_INFINITY;
    const begun = () => {
      begunAt = performance.now();
    };
    const { promise: written, resolve: ended } = Promise.withResolvers<void>();
    // Its caller may have the answer before the turn ends, or after it.
    const done = work(begun, ended).then(resolve, reject);
    await Promise.race([written, done]);
    await rest(store, performance.now() - begunAt);
  });
  turn.catch(reject);
  return promise;
}

/** As long as the transaction took, at most. */
async function rest(store: Store, milliseconds: number): Promise<void> {
  if (milliseconds < longMilliseconds) return;
  const endsAt = performance.now() + milliseconds;
  for (let idle = 0; idle < idleLooks && performance.now() < endsAt; ) {
    await delay(lookMilliseconds);
    idle = isUsed(store) ? 0 : idle + 1;
  }
}

function isUsed(store: Store): boolean {
  return store.connections().some(({ pool, used, waiting }) => pool === 'main' && used + waiting > 0);
}
