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
import { onConnection } from './client.ts';
import { statement } from './statements.ts';

/** For how long a commit waits for further transactions: those before it, and all who read, wait for it. */
const longestMilliseconds = 3;

const savepoint = 'shared_commit';

/** One transaction. */
interface Job {
  /** Runs it; settles when its statements have ended, with what it rejects or answers once they are durable. */
  readonly run: (tx: Knex) => Promise<Outcome>;
  /** Rejects without having run, or because nothing became durable. */
  readonly fail: (error: unknown) => void;
  readonly stopWaiting: () => void;
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

/** Runs it behind a savepoint. Throws what ended all of the transaction, and with it those before. */
async function runBehindOthers(tx: Knex, job: Job): Promise<Outcome> {
  await onSavepoint(tx, 'savepoint');
  const outcome = await job.run(tx);
  const { failed } = outcome;
  const isOpen = await (failed ? onSavepoint(tx, 'rollback to', 'release') : onSavepoint(tx, 'release'));
  if (failed && !isOpen) throw failed.error;
  return outcome;
}

/** `waitMilliseconds`: how long a transaction waits until it begins. */
export function sharingCommits(db: Knex, waitMilliseconds: number): Engine['transact'] {
  /** In order of arrival. */
  const waiting = new Set<Job>();
  let isRunning = false;

  function takeNext(): Job | undefined {
    const [job] = waiting;
    job?.stopWaiting();
    return job;
  }

  /** Runs the next one, and those who wait when it ends. */
  async function runTogether(): Promise<void> {
    const before = [...waiting];
    const run: Job[] = [];
    const outcomes: Outcome[] = [];
    try {
      await db.transaction(async (tx) => {
        const beganAt = performance.now();
        for (
          let job = takeNext();
          job;
          job = performance.now() - beganAt < longestMilliseconds ? takeNext() : undefined
        ) {
          run.push(job);
          const outcome = await (run.length === 1 ? job.run(tx) : runBehindOthers(tx, job));
          outcomes.push(outcome);
          // The first one needs no savepoint: where it fails there is nothing else to keep.
          if (run.length === 1 && outcome.failed) throw outcome.failed.error;
        }
      });
    } catch (error) {
      for (const job of run.length > 0 ? run : before) {
        job.stopWaiting();
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

  return <Result>(work: (tx: Knex) => Promise<Result>): Promise<Result> => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const inContext = AsyncLocalStorage.snapshot();
    const job: Job = {
      run: (tx) =>
        inContext(() => work(tx)).then(
          (result) => ({ failed: null, tell: () => resolve(result) }),
          (error: unknown) => ({ failed: { error }, tell: () => reject(error) }),
        ),
      fail: reject,
      stopWaiting: () => {
        clearTimeout(timer);
        waiting.delete(job);
      },
    };
    const timer = setTimeout(() => {
      job.stopWaiting();
      reject(new Failure('unavailable', { retryAfterSeconds: 1, reason: 'the store is unavailable: no connection' }));
    }, waitMilliseconds);
    waiting.add(job);
    if (!isRunning) {
      isRunning = true;
      void runAll();
    }
    return promise;
  };
}
