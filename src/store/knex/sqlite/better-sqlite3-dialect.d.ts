/** Knex publishes its dialects for subclassing, without types. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  class BetterSqlite3Client extends Knex.Client {
    /** Runs one statement and puts the driver's answer into `query`. */
    _query<Query extends { sql: string }>(connection: unknown, query: Query): Promise<Query>;
    /** As the driver takes them. */
    _formatBindings(bindings: readonly unknown[] | undefined): readonly unknown[];
  }
  export default BetterSqlite3Client;
}
