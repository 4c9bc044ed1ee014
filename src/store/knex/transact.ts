import type { Knex } from 'knex';
import { translate } from './errors.ts';

/** Runs several statements as one: in a transaction, or behind a savepoint of the one that is open. */
export async function together<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction((tx) => work(tx));
  } catch (error) {
    throw translate(error);
  }
}

/**
 * For a statement that may meet a conflict: inside a transaction only the statement is undone and the transaction goes
 * on. Without the savepoint PostgreSQL would refuse every later statement, and SQLite would not.
 */
export function separately<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? together(db, work) : work(db);
}
