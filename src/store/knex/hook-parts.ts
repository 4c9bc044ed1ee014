/** Variables of hooks, and the records of their runs. */

import type { Knex } from 'knex';
import type { HookExecutionRecord, HookExecutionStore } from '../hook-executions.ts';
import type { HookVariableRecord, HookVariableStore } from '../hook-variables.ts';
import * as rows from './hook-rows.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { separately, together } from './transact.ts';

const variableListing: Listing<HookVariableRecord> = {
  table: 'hook_variables',
  id: 'id',
  columns: {
    name: filled('text', 'name'),
    created_at: filled('number', 'created_at'),
    updated_at: filled('number', 'updated_at'),
  },
  read: rows.hookVariables.read,
};

const executionListing: Listing<HookExecutionRecord> = {
  table: 'hook_executions',
  id: 'id',
  columns: {
    hook: filled('number', 'hook_id'),
    created_at: filled('number', 'created_at'),
    request_id: filled('text', 'request_id'),
    correlation_id: filled('text', 'correlation_id'),
  },
  read: rows.hookExecutions.read,
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
    page: (accountId, query) => listPage(db, variableListing, accountId, query),
    update: async (accountId, id, changes) => {
      const [row] = await db(table).where({ account_id: accountId, id }).update(write(changes)).returning('*');
      return row ? read(row) : null;
    },
    remove: async (accountId, id) => (await db(table).where({ account_id: accountId, id }).delete()) === 1,
  };
}

export function hookExecutionVerbs(db: Knex): HookExecutionStore {
  const { table, read, write } = rows.hookExecutions;
  return {
    add: async (executions) => {
      if (executions.length > 0) await db(table).insert(executions.map((execution) => write(execution)));
    },
    addEvent: (accountId, requestId, line) =>
      together(db, async (tx) => {
        const record = () => tx(table).where({ account_id: accountId, request_id: requestId });
        const row = await record().first();
        if (row) await record().update(write({ events: [...read(row).events, line] }));
      }),
    page: (accountId, hookId, query) => {
      const own = { field: 'hook', test: 'is', values: [hookId] } as const;
      return listPage(db, executionListing, accountId, { ...query, filters: [own, ...query.filters] });
    },
    find: async (accountId, requestId) => {
      const row = await db(table).where({ account_id: accountId, request_id: requestId }).first();
      return row ? read(row) : null;
    },
  };
}
