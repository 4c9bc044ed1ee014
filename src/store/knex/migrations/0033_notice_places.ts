/** Whom a notice is for, as far as decides which others may be sent beside it: the host, and who registered the client. */

import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // Those that wait already count as for one host, which delays them and loses none.
  await db.raw("alter table logout_notices add column host text not null default ''");
  await db.raw("alter table logout_notices add column registered_by text not null default 'token'");
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table logout_notices drop column registered_by');
  await db.raw('alter table logout_notices drop column host');
}
