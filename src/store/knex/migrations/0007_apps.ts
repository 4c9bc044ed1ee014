/** Roles and apps as they are managed: administrators of roles, and the indexes of their lists. */

import type { Knex } from 'knex';
import { createListIndex, dropListIndex, filled, isPostgres } from '../list-index.ts';

const ofUser = 'foreign key (account_id, user_id) references users (account_id, id) on delete cascade';
const ofRole = 'foreign key (account_id, role_id) references roles (account_id, id) on delete cascade';

/** As `role_users`, but that it gives nothing. */
async function createAdministrators(db: Knex): Promise<void> {
  const [number, end] = isPostgres(db) ? ['bigint', ')'] : ['integer', ') strict, without rowid'];
  await db.raw(`create table role_admins (account_id ${number} not null, user_id ${number} not null,
    role_id ${number} not null, assigned_at ${number} not null, primary key (account_id, user_id, role_id),
    ${ofUser}, ${ofRole} ${end}`);
  await db.raw('create index role_admins_account_id_role_id_index on role_admins (account_id, role_id)');
}

export async function up(db: Knex): Promise<void> {
  await createAdministrators(db);
  await createListIndex(db, 'roles', filled('text', 'name'));
}

export async function down(db: Knex): Promise<void> {
  await dropListIndex(db, 'roles', filled('text', 'name'));
  await db.raw('drop table role_admins');
}
