import PgClient from 'knex/lib/dialects/postgres/index.js';
import { type Runner, raising } from '../raising.ts';
import type { Statement } from '../written.ts';

/** Knex's client for PostgreSQL: each write is followed by what depends on it. */
export class PostgresClient extends PgClient {
  override runner(statement: Statement): Runner {
    return raising(this, statement, super.runner(statement));
  }
}
