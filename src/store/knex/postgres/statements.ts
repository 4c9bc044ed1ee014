/** Named statements on Knex's own connection. */

import type { Knex } from 'knex';
import type pg from 'pg';
import type { DbRow } from '../shape.ts';

/**
 * A condition that is always true, on the numbers of a batch. The planner takes an array for ten rows and an account for
 * the average one, and would read all rows of a large account beside the batch; of one row it looks up the other by key.
 */
export function few(column: string): string {
  return `coalesce(${column}, 0) = ${column}`;
}

/** Runs a statement on the connection of `db`, or borrows one; prepared, where the connection keeps its session. */
export async function run(db: Knex, name: string, text: string, values: readonly unknown[]): Promise<DbRow[]> {
  const client = db.client as Knex.Client; // The client of a transaction answers the transaction's connection.
  const connection: pg.Client = await client.acquireConnection();
  try {
    const answer = await connection.query<DbRow>({ name, text, values: [...values] });
    return answer.rows;
  } finally {
    await client.releaseConnection(connection);
  }
}
