/** Named statements on Knex's own connection. */

import type { Knex } from 'knex';
import type pg from 'pg';
import { isOutdated } from '../errors.ts';
import type { DbRow } from '../shape.ts';
import { dispose } from './leader.ts';
import { isCarrying, isStale } from './transaction-pooling.ts';

/**
 * A condition that is always true, on the numbers of a batch. The planner takes an array for ten rows and an account for
 * the average one, and would read all rows of a large account beside the batch; of one row it looks up the other by key.
 */
export function few(column: string): string {
  return `coalesce(${column}, 0) = ${column}`;
}

/** A statement that PostgreSQL keeps prepared under its name. */
interface Named {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Whether the statement can be sent again: it was not there, or outdated, and is forgotten now. */
async function isForgotten(connection: pg.Client, name: string, error: unknown): Promise<boolean> {
  const isAlone = connection.getTransactionStatus() === 'I';
  if (isCarrying(connection)) return isAlone && isStale(error);
  if (!isOutdated(error)) return false;
  if (!isAlone) {
    // The transaction is over, and takes no statement that would forget it.
    dispose(connection, error);
    return false;
  }
  await connection.query(`deallocate "${name}"`);
  const { parsedStatements } = connection.connection as unknown as { parsedStatements: Record<string, string> };
  delete parsedStatements[name];
  return true;
}

/** Sends a named statement; again, where it was prepared before a migration or is missing behind a pooler. */
export async function sendNamed(connection: pg.Client, { name, text, values }: Named): Promise<DbRow[]> {
  const send = () => connection.query<DbRow>({ name, text, values: [...values] });
  const { rows } = await send().catch(async (error: unknown) => {
    if (await isForgotten(connection, name, error)) return send();
    throw error;
  });
  return rows;
}

/** Runs a statement on the connection of `db`, or borrows one. It is prepared, but for transactions of `isCarrying`. */
export async function run(db: Knex, name: string, text: string, values: readonly unknown[]): Promise<DbRow[]> {
  const client = db.client as Knex.Client; // The client of a transaction answers the transaction's connection.
  const connection: pg.Client = await client.acquireConnection();
  try {
    return await sendNamed(connection, { name, text, values });
  } finally {
    await client.releaseConnection(connection);
  }
}
