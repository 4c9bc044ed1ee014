import type { Knex } from 'knex';
import { bytesOf, type HookExecutionRecord, type HookExecutionStore } from '../hook-executions.ts';
import { dialectOf } from './dialect.ts';
import { addSizes, makeRoom } from './hook-log-sizes.ts';
import * as rows from './hook-rows.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { inTransaction, together } from './transact.ts';

const listing: Listing<HookExecutionRecord> = {
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

export function hookExecutionVerbs(db: Knex): HookExecutionStore {
  const { table, read, write } = rows.hookExecutions;
  return {
    add: async (executions) => {
      if (executions.length === 0) return;
      const sized = executions.map((execution) => ({ ...execution, bytes: bytesOf(execution) }));
      await inTransaction(db, async (tx) => {
        await tx(table).insert(sized.map((execution) => ({ ...write(execution), bytes: execution.bytes })));
        await addSizes(tx, sized);
      });
    },
    makeRoom: (accountId, wanted, most) => inTransaction(db, (tx) => makeRoom(tx, accountId, wanted, most)),
    addComparison: ({ accountId, hookId, setAt, requestId, difference }) =>
      together(db, async (tx) => {
        if (difference) {
          const { line, ...shadow } = difference;
          const record = () => tx(table).where({ account_id: accountId, request_id: requestId });
          // Two that add a line at once would each write back what they read.
          const row = await dialectOf(tx).waitFor(record()).first();
          if (row) await record().update(write({ events: [...read(row).events, line], shadow }));
        }
        await tx('hook_draft_counts')
          .where({ account_id: accountId, hook_id: hookId, set_at: setAt })
          .increment(difference ? 'different' : 'same');
      }),
    listDifferences: async (accountId, hookId, since, limit) => {
      const found = await db(table)
        .where({ account_id: accountId, hook_id: hookId })
        .whereNotNull('shadow')
        .where('created_at', '>=', since)
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(limit);
      return found.map(read);
    },
    page: (accountId, hookId, query) => {
      const own = { field: 'hook', test: 'is', values: [hookId] } as const;
      return listPage(db, listing, accountId, { ...query, filters: [own, ...query.filters] });
    },
    listNewest: async (accountId, after, limit) => {
      const newer = db(table).where('account_id', accountId).where('id', '>', after);
      const found = await newer.orderBy('id', 'desc').limit(limit).select('id', 'hook_id');
      return found.map((row) => ({ id: Number(row.id), hookId: Number(row.hook_id) }));
    },
    read: async (accountId, ids) => {
      const found = await db(table)
        .where('account_id', accountId)
        .whereIn('id', [...ids])
        .orderBy('id');
      return found.map(read);
    },
    find: async (accountId, requestId) => {
      const row = await db(table).where({ account_id: accountId, request_id: requestId }).first();
      return row ? read(row) : null;
    },
  };
}
