import type { Knex } from 'knex';
import type { RefusalRecord, RefusalStore } from '../refusals.ts';
import { byAccount } from './by-account.ts';
import { chunks } from './chunks.ts';
import { shape } from './shape.ts';

const refusals = shape<RefusalRecord>('refusals', null, {
  accountId: 'account_id',
  requestId: 'request_id',
  at: 'at',
  source: 'source',
  detail: 'detail',
  expiresAt: 'expires_at',
});

export function refusalVerbs(db: Knex): RefusalStore {
  const { table, read, write } = refusals;
  return {
    add: async (records) => {
      for (const [, own] of byAccount(records)) {
        for await (const some of chunks(own)) {
          const added = some.map((record) => write(record));
          // What was stored before its answer got lost is added again.
          await db(table).insert(added).onConflict(['account_id', 'request_id']).ignore();
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
