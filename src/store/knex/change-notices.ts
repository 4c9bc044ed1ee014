import type { Knex } from 'knex';
import type { ChangeNoticeRecord, ChangeNoticeStore } from '../change-notices.ts';
import { claimDue } from './claim-due.ts';
import { json, shape } from './shape.ts';

const notices = shape<ChangeNoticeRecord>('change_notices', 'id', {
  accountId: 'account_id',
  id: 'id',
  address: 'address',
  changes: json('changes'),
  changedAt: 'changed_at',
  attempts: 'attempts',
  dueAt: 'due_at',
});

export function changeNoticeVerbs(db: Knex): ChangeNoticeStore {
  const one = (accountId: number, id: number) => db('change_notices').where({ account_id: accountId, id });
  return {
    add: async (notice) => {
      const row = notices.write(notice);
      const same = { account_id: notice.accountId, address: notice.address, changes: row['changes'] };
      const merged = await db('change_notices').where(same).update({ changed_at: notice.changedAt, attempts: 0 });
      if (merged === 0) await db('change_notices').insert(row);
    },
    claim: async (now, until, limit, except = []) => {
      const claimed = await claimDue(db, 'change_notices', { now, until, limit, except });
      return claimed.map(notices.read);
    },
    postpone: async (accountId, id, dueAt) => {
      await one(accountId, id).update({ due_at: dueAt });
    },
    remove: async (accountId, id, changedAt) => {
      const removed = await one(accountId, id).where({ changed_at: changedAt }).delete();
      return removed === 1;
    },
  };
}
