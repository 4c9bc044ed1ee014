/**
 * An index of the parts of users' texts, on SQLite: empty, since it is filled in slices while the service runs
 * (searched-texts.ts). On PostgreSQL the service makes an index of the same texts while others write, which a migration
 * cannot.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

/** As `searched-texts.ts` had them then: what is added there needs a migration that makes both indexes anew. */
const texts = 'email_key, username_key, firstname, lastname, title, department, company, phone, external_id';

export async function up(db: Knex): Promise<void> {
  if (isPostgres(db)) return;
  await db.raw('alter table users add column searched text');
  await db.raw(
    `create index users_waiting_for_search on users (account_id) where searched is not json_array(${texts})`,
  );
  await db.raw(`create virtual table user_search using fts5(${texts},
    content='', contentless_delete=1, detail=column, tokenize='trigram case_sensitive 1')`);
}

export async function down(db: Knex): Promise<void> {
  if (isPostgres(db)) return;
  await db.raw('drop table user_search');
  await db.raw('drop index users_waiting_for_search');
  await db.raw('alter table users drop column searched');
}
