/** Roles and apps as they are managed: administrators of roles, what describes apps, and the indexes of their lists. */

import type { Knex } from 'knex';
import { createListIndex, dropListIndex, filled, type ListColumn } from '../list-index.ts';
import { isPostgres } from './is_postgres.ts';

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

/** Columns that clients get, in the order of their definition. */
function columns(number: string): readonly (readonly [column: string, type: string])[] {
  return [
    ['previous_secret_digest', 'text'],
    ['previous_secret_expires_at', number],
    ['connector_id', `${number} not null default 108419`],
    ['description', 'text'],
    ['notes', 'text'],
    ['visible', 'integer not null default 1'],
    ['updated_at', `${number} not null default 0`],
  ];
}

/** Every column that the list of apps sorts or filters by, but the id. */
const listed: readonly ListColumn[] = [
  filled('text', 'name'),
  ...['connector_id', 'created_at', 'updated_at'].map((column) => filled('number', column)),
];

export async function up(db: Knex): Promise<void> {
  await createAdministrators(db);
  for (const [column, type] of columns(isPostgres(db) ? 'bigint' : 'integer')) {
    await db.raw(`alter table clients add column ${column} ${type}`);
  }
  await db.raw('update clients set updated_at = created_at');
  for (const column of listed) await createListIndex(db, 'clients', column, 'app_id');
  await createListIndex(db, 'roles', filled('text', 'name'));
}

export async function down(db: Knex): Promise<void> {
  for (const column of listed) await dropListIndex(db, 'clients', column);
  for (const [column] of columns('')) await db.raw(`alter table clients drop column ${column}`);
  await dropListIndex(db, 'roles', filled('text', 'name'));
  await db.raw('drop table role_admins');
}
