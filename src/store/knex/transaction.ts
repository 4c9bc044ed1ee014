/** Transactions over the functions of the store. */

import type { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { Store } from '../store.ts';
import type { Engine, HotVerbs } from './engine.ts';
import { translate } from './errors.ts';
import type { AtEnd } from './events.ts';
import type { Around } from './guard.ts';
import { persistently } from './transact.ts';
import { verbsInside, verbsOn } from './verbs.ts';

/** The state of an open transaction. */
export interface TransactionState {
  open: boolean;
  /** Nothing runs in it any more; what it shares its commit with may still run. */
  ended: boolean;
  /** Settles when the function called last has ended. */
  tail: Promise<unknown>;
  /** The first error that no savepoint undid. PostgreSQL would answer the commit with a silent rollback. */
  spoiled: { readonly error: unknown } | null;
}

/** Failures after which the transaction is as before the call: nothing was done, or a savepoint undid it. */
function isHarmless(error: unknown): boolean {
  return error instanceof Failure && ['conflict', 'not_found', 'value_invalid'].includes(error.code);
}

/**
 * Runs one function after the other, since undoing a savepoint must not undo the statements of another function. Runs
 * none after one that spoiled the transaction, since SQLite may have ended it already.
 */
function watch(state: TransactionState): Around {
  return (work) => {
    const running = state.tail.then(async () => {
      if (state.ended) throw new Failure('internal', { reason: 'the transaction has ended' });
      if (state.spoiled) throw state.spoiled.error;
      try {
        return await work();
      } catch (error) {
        if (!isHarmless(error)) state.spoiled = { error: translate(error) };
        throw error;
      }
    });
    state.tail = running.catch(() => {});
    return running;
  };
}

/** Runs several functions as one. `work` may run several times, and must change nothing except through `tx`. */
export function createTransaction(engine: Engine, current: AsyncLocalStorage<TransactionState>): Store['transaction'] {
  const attempt = createAttempt(engine, current);
  return (work) => persistently(() => attempt(work));
}

/** Few enough that appending them is not noticed. */
const eventsAtOnce = 100;

/**
 * Changing a role of thousands creates as many events, so other work gets its turn in between. Accounts are in the
 * order in which their chains are locked.
 */
async function appendAll(hot: HotVerbs, tx: Knex, { events, tellers }: AtEnd): Promise<void> {
  const ordered = events.toSorted((one, other) => one.accountId - other.accountId);
  let at = 0;
  for (; at + eventsAtOnce < ordered.length; at += eventsAtOnce) {
    await hot.appendEvents(tx, ordered.slice(at, at + eventsAtOnce));
    await nextTurn();
  }
  for (const tell of tellers) tell();
  if (at < ordered.length) await hot.appendEvents(tx, ordered.slice(at));
}

function createAttempt(
  { hot, kind, reading, transact }: Engine,
  current: AsyncLocalStorage<TransactionState>,
): Store['transaction'] {
  const committed = verbsOn(reading, hot);
  return async (work) => {
    const state: TransactionState = { open: true, ended: false, tail: Promise.resolve(), spoiled: null };
    try {
      return await transact(async (tx) => {
        const atEnd: AtEnd = { events: [], checks: [], tellers: [] };
        const verbs = verbsInside(tx, hot, atEnd, watch(state));
        try {
          const result = await current.run(state, () => work(verbs));
          await state.tail;
          if (state.spoiled) throw state.spoiled.error;
          await appendAll(hot, tx, atEnd);
          if (kind !== 'sqlite') for (const check of atEnd.checks) await check(verbs, committed);
          return result;
        } finally {
          state.ended = true;
          await state.tail;
        }
      });
    } finally {
      state.open = false;
    }
  };
}
