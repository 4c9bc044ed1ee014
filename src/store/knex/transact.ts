import type { Knex } from 'knex';
import { isLockTimeout, isLostRace, isOutdated, translate } from './errors.ts';

/**
 * Runs work in a new transaction, or behind a savepoint of `db`. Knex calls the work even if neither could begin, and
 * what goes past Knex would then be committed statement by statement.
 */
export function inNewTransaction<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    // The caller gets the error of the beginning.
    if (tx.isCompleted()) throw new Error('the transaction did not begin');
    return work(tx);
  });
}

/** Runs several statements as one: in the open transaction, or in one of their own. */
export function inTransaction<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : inNewTransaction(db, work);
}

/** Runs several statements as one: in a transaction, or behind a savepoint of the open one. */
export async function together<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  try {
    return await inNewTransaction(db, work);
  } catch (error) {
    throw translate(error);
  }
}

/**
 * For a statement that may meet a conflict: inside a transaction only the statement is undone. Without the savepoint
 * PostgreSQL would refuse every later statement, while SQLite would not.
 */
export function separately<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? together(db, work) : work(db);
}

/** How often a transaction is tried; after a wait that was too long, which another one makes longer, once more. */
const mostAttempts = 5;
const mostAttemptsInTime = 2;
/** More than a pool has connections: each may have prepared the statement before a migration, and is closed then. */
export const mostAttemptsOutdated = 20;

function mostAttemptsFor(error: unknown): number {
  if (isLostRace(error)) return mostAttempts;
  if (isOutdated(error)) return mostAttemptsOutdated;
  return isLockTimeout(error) ? mostAttemptsInTime : 1;
}

/**
 * For a transaction of its own. PostgreSQL aborts one of two that wait for each other, and one whose statements were
 * prepared for other columns; it had no effect then, and is retried.
 */
export async function persistently<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts >= mostAttemptsFor(error)) throw error;
    }
  }
}
