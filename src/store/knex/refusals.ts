import type { Knex } from 'knex';
import type { RefusalRecord, RefusalStore } from '../refusals.ts';
import { byAccount } from './by-account.ts';
import { shape } from './shape.ts';

const refusals = shape<RefusalRecord>('refusals', null, {
  accountId: 'account_id',
  requestId: 'request_id',
  at: 'at',
  source: 'source',
  detail: 'detail',
  expiresAt: 'expires_at',
});

/** Rows per statement: SQLite takes at most 500. */
const addedAtOnce = 400;

export function refusalVerbs(db: Knex): RefusalStore {
  const { table, read, write } = refusals;
  return {
    add: async (records) => {
      for (const [, own] of byAccount(records)) {
        for (let from = 0; from < own.length; from += addedAtOnce) {
          const part = own.slice(from, from + addedAtOnce).map((record) => write(record));
          // What was stored before its answer got lost is added again.
          await db(table).insert(part).onConflict(['account_id', 'request_id']).ignore();
        }
      }
    },
    find: async (accountId, requestId, now) => {
      const row = await db(table)
        .where({ account_id: accountId, request_id: requestId })
        .where('expires_at', '>', now)
        .first();
      return row ? read(row) : null;
    },
  };
}
