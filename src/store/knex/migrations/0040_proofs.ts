/**
 * A proof of a key (RFC 9449) counts once in its account, whichever client sends it; an assertion counts once at its
 * client, as before. Null: an assertion, or a proof that an older release keeps during an update.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

export async function up(db: Knex): Promise<void> {
  await db.raw(`alter table client_assertions add column is_proof ${isPostgres(db) ? 'bigint' : 'integer'}`);
  await db.raw(
    'create unique index client_assertions_proof on client_assertions (account_id, digest) where is_proof = 1',
  );
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index client_assertions_proof');
  await db.raw('alter table client_assertions drop column is_proof');
}
