import type { Knex } from 'knex';
import type { ResourceKind, ResourceStore } from '../resources.ts';
import { dialectOf } from './dialect.ts';
import { lockPresent } from './hold.ts';
import { present, type Removable, homes as removable } from './removed.ts';

/** The table of each kind, and its key without the account. */
const homes: Readonly<
  Record<Exclude<ResourceKind, 'setting' | 'role_policy'>, { readonly table: string; readonly id: string }>
> = {
  ...removable,
  policy: { table: 'policies', id: 'id' },
  hook: { table: 'hooks', id: 'uuid' },
  variable: { table: 'hook_variables', id: 'uuid' },
  administrator: { table: 'administrators', id: 'user_id' },
};

/** The tables of the links that are shown with a resource, by the column that refers to it and the other one. */
const links: Readonly<Partial<Record<ResourceKind, readonly [table: string, own: string, other: string][]>>> = {
  user: [['role_users', 'user_id', 'role_id']],
  app: [['app_roles', 'app_id', 'role_id']],
  role: [
    ['app_roles', 'role_id', 'app_id'],
    ['role_users', 'role_id', 'user_id'],
    ['role_admins', 'role_id', 'user_id'],
  ],
};

function isRemovable(kind: ResourceKind): kind is Removable {
  return kind in removable;
}

/** Its key stays, so that rows which refer to it can be added meanwhile. */
async function lockAccount(db: Knex, accountId: number): Promise<boolean> {
  const row = () => db('accounts').where('id', accountId);
  await dialectOf(db).lock(() => row().select('id'), 'forNoKeyUpdate');
  return (await row().first('id')) !== undefined;
}

/** The user, then all administrators: the order of those who give and take scopes, and look at the others' first. */
async function lockAdministrators(db: Knex, accountId: number, userId: number): Promise<void> {
  await lockPresent(db, accountId, 'user', userId);
  const all = () => db('administrators').where('account_id', accountId);
  await dialectOf(db).lock(() => all().orderBy('user_id').select('user_id'), 'forUpdate');
}

export function resourceVerbs(db: Knex): ResourceStore {
  return {
    findLocked: async (accountId, kind, key) => {
      if (kind === 'setting') return lockAccount(db, accountId);
      if (kind === 'administrator') await lockAdministrators(db, accountId, Number(key));
      const owner = kind === 'role_policy' ? 'role' : kind;
      const { table, id } = homes[owner];
      const named = () => db(table).where({ account_id: accountId, [id]: id === 'uuid' ? key : Number(key) });
      const linked = (name: string, own: string) => db(name).where({ account_id: accountId, [own]: Number(key) });
      const shown = links[kind] ?? [];
      // Roles before what is linked to them, as the writers of a role have it.
      for (const [name, own, other] of shown.filter((link) => link[2] === 'role_id')) {
        const ids = linked(name, own).select(other);
        const roles = () => db('roles').where('account_id', accountId).whereIn('id', ids);
        await dialectOf(db).lock(() => roles().orderBy('id').select('id'), 'forKeyShare');
      }
      await dialectOf(db).lock(() => named().select(id), 'forUpdate');
      // The row itself keeps others from adding links, not from removing them.
      for (const [name, own, other] of shown) {
        await dialectOf(db).lock(() => linked(name, own).orderBy(other).select(other), 'forUpdate');
      }
      // A removal that this waited for is only visible to another statement.
      const found = isRemovable(owner) ? named().whereRaw(present(owner, table, id)) : named();
      return (await found.first(id)) !== undefined;
    },
  };
}
