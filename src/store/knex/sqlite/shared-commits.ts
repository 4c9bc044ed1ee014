/**
 * Transactions that share a commit. SQLite has one writer, which waits for the disk on the event loop: of transactions
 * that wait for each other anyway, each would make everybody wait for the disk again. They run one after the other, each
 * behind a savepoint of its own, and none is answered before all of them are durable.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { Failure } from '../../../domain/failure.ts';
import type { Engine } from '../engine.ts';
import { outage, translate } from '../errors.ts';
import { inNewTransaction } from '../transact.ts';
import { onConnection } from './client.ts';
import { statement } from './statements.ts';

/**
 * No transaction begins later than this after the first one began: those before it, and all readers, wait for the
 * commit. The last one itself may take longer.
 */
const usualJoinMilliseconds = 3;

const savepoint = 'shared_commit';

/** One transaction. */
interface Job {
  /** Runs it; settles when its statements have ended, with what it rejects or answers once they are durable. */
  readonly run: (tx: Knex) => Promise<Outcome>;
  /** Rejects without having run, or because nothing became durable. */
  readonly fail: (error: unknown) => void;
  /** From then on it is not refused for having waited. */
  readonly stopTimer: () => void;
}

interface Outcome {
  /** What it failed with; null: it succeeded. */
  readonly failed: { readonly error: unknown } | null;
  readonly tell: () => void;
}

function onSavepoint(tx: Knex, ...texts: readonly string[]): Promise<boolean> {
  return onConnection(tx, (connection: Sqlite.Database) => {
    // SQLite ends all of the transaction at some errors (disk full).
    if (connection.inTransaction) for (const text of texts) statement(connection, `${text} ${savepoint}`).run();
    return connection.inTransaction;
  });
}

/** For transactions that share a commit with one whose error ended it: its reason for failing does not concern them. */
function endedBy(error: unknown): Failure {
  const known = translate(error);
  if (known instanceof Failure && known.code === 'unavailable') return known;
  return outage('the transaction was ended', error);
}

/** Runs it behind a savepoint. Throws when SQLite ended all of the transaction, and with it those before. */
async function runBehindOthers(tx: Knex, job: Job): Promise<Outcome> {
  // Without one, each statement would have a commit of its own.
  if (!(await onSavepoint(tx, 'savepoint'))) throw endedBy(null);
  const outcome = await job.run(tx);
  const { failed } = outcome;
  const isOpen = await (failed ? onSavepoint(tx, 'rollback to', 'release') : onSavepoint(tx, 'release'));
  if (isOpen) return outcome;
  if (failed) job.fail(failed.error);
  throw endedBy(failed?.error ?? null);
}

/** `waitMilliseconds`: how long a transaction waits until it begins. */
export function sharingCommits(
  db: Knex,
  waitMilliseconds: number,
  joinMilliseconds = usualJoinMilliseconds,
): Pick<Engine, 'transact' | 'waitingTransactions'> {
  // The shared work belongs to no request; otherwise it would keep the first one's context for as long as it is busy.
  const inNoContext = AsyncLocalStorage.snapshot();
  /** In order of arrival. */
  const waiting = new Set<Job>();
  let isRunning = false;
  /** One of those that wait has asked the pool for the connection, or SQLite for the write lock. */
  let isBeginning = false;

  function stopWaiting(job: Job): void {
    job.stopTimer();
    waiting.delete(job);
  }

  function takeNext(): Job | undefined {
    const [job] = waiting;
    if (job) stopWaiting(job);
    return job;
  }

  /** Runs the first that waits, and then those that are waiting when it ends. */
  async function runTogether(): Promise<void> {
    const before = [...waiting];
    const run: Job[] = [];
    const outcomes: Outcome[] = [];
    // The pool and SQLite have limits of their own, and say what kept it waiting.
    before[0]?.stopTimer();
    isBeginning = true;
    try {
      await inNewTransaction(db, async (tx) => {
        isBeginning = false;
        const beganAt = performance.now();
        for (let job = takeNext(); job; job = performance.now() - beganAt < joinMilliseconds ? takeNext() : undefined) {
          run.push(job);
          const outcome = await (run.length === 1 ? job.run(tx) : runBehindOthers(tx, job));
          outcomes.push(outcome);
          // The first one needs no savepoint: where it fails there is nothing else to keep.
          if (run.length === 1 && outcome.failed) throw outcome.failed.error;
        }
      });
    } catch (error) {
      isBeginning = false;
      for (const job of run.length > 0 ? run : before) {
        stopWaiting(job);
        job.fail(error);
      }
      return;
    }
    for (const { tell } of outcomes) tell();
  }

  async function runAll(): Promise<void> {
    while (waiting.size > 0) {
      // Whatever has arrived by now gets to its transaction first.
      await nextTurn();
      if (waiting.size > 0) await runTogether();
    }
    isRunning = false;
  }

  function transact<Result>(work: (tx: Knex) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const inContext = AsyncLocalStorage.snapshot();
    const job: Job = {
      run: (tx) =>
        inContext(async () => work(tx)).then(
          (result) => ({ failed: null, tell: () => resolve(result) }),
          (error: unknown) => ({ failed: { error }, tell: () => reject(error) }),
        ),
      fail: reject,
      stopTimer: () => clearTimeout(timer),
    };
    const timer = setTimeout(() => {
      waiting.delete(job);
      reject(outage('no connection'));
    }, waitMilliseconds);
    waiting.add(job);
    if (!isRunning) {
      isRunning = true;
      void inNoContext(runAll);
    }
    return promise;
  }

  return { transact, waitingTransactions: () => (isBeginning ? waiting.size - 1 : waiting.size) };
}
