/** Claims that userinfo gives beyond a grant's scope: in a table of their own, since an exchange reads none of it. */

import type { Knex } from 'knex';
import { isPostgres } from '../list-index.ts';

export async function up(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table grant_claims (account_id ${number} not null, grant_id ${number} not null,
    claims text not null, primary key (account_id, grant_id),
    foreign key (account_id, grant_id) references grants (account_id, id) on delete cascade ${end}`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table grant_claims');
}
