import type { Knex } from 'knex';
import type { ResourceKind, ResourceStore } from '../resources.ts';
import { dialectOf } from './dialect.ts';
import { present, type Removable, homes as removable } from './removed.ts';

/** The table of each kind, and its key without the account. */
const homes: Readonly<Record<ResourceKind, { readonly table: string; readonly id: string }>> = {
  ...removable,
  policy: { table: 'policies', id: 'id' },
  hook: { table: 'hooks', id: 'uuid' },
  variable: { table: 'hook_variables', id: 'uuid' },
};

function isRemovable(kind: ResourceKind): kind is Removable {
  return kind in removable;
}

export function resourceVerbs(db: Knex): ResourceStore {
  return {
    findLocked: async (accountId, kind, key) => {
      const { table, id } = homes[kind];
      const named = () => db(table).where({ account_id: accountId, [id]: id === 'uuid' ? key : Number(key) });
      await dialectOf(db).lock(() => named().select(id), 'forUpdate');
      // A removal that this waited for is only visible to another statement.
      const found = isRemovable(kind) ? named().whereRaw(present(kind, table, id)) : named();
      return (await found.first(id)) !== undefined;
    },
  };
}
