import type { Knex } from 'knex';
import type { HookVariableRecord, HookVariableStore } from '../hook-variables.ts';
import * as rows from './hook-rows.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { separately } from './transact.ts';

const listing: Listing<HookVariableRecord> = {
  table: 'hook_variables',
  id: 'id',
  columns: {
    name: filled('text', 'name'),
    created_at: filled('number', 'created_at'),
    updated_at: filled('number', 'updated_at'),
  },
  read: rows.hookVariables.read,
};

export function hookVariableVerbs(db: Knex): HookVariableStore {
  const { table, read, write } = rows.hookVariables;
  return {
    create: (variable) =>
      separately(db, async (tx) => {
        const [row] = await tx(table).insert(write(variable)).returning('*');
        return read(row);
      }),
    find: async (accountId, uuid) => {
      const row = await db(table).where({ account_id: accountId, uuid }).first();
      return row ? read(row) : null;
    },
    list: async (accountId) => (await db(table).where('account_id', accountId).orderBy('id')).map(read),
    page: (accountId, query) => listPage(db, listing, accountId, query),
    update: async (accountId, id, changes) => {
      const [row] = await db(table).where({ account_id: accountId, id }).update(write(changes)).returning('*');
      return row ? read(row) : null;
    },
    remove: async (accountId, id) => (await db(table).where({ account_id: accountId, id }).delete()) === 1,
  };
}
