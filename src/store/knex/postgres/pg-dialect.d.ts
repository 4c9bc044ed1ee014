/** Knex publishes its dialects for subclassing, without types. */
declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';

  class PgClient extends Knex.Client {}
  export default PgClient;
}
