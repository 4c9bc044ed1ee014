import type { Knex } from 'knex';

/** For migrations, which never change: each says what it does to the one database and to the other. */
export function isPostgres(db: Knex): boolean {
  return db.client.driverName === 'pg';
}
