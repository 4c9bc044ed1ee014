import type { Knex } from 'knex';
import type { ResetRequestRecord, ResetRequestStore } from '../reset-requests.ts';
import { claimDue } from './claim-due.ts';
import { shape } from './shape.ts';

const requests = shape<ResetRequestRecord>('reset_requests', 'id', {
  accountId: 'account_id',
  id: 'id',
  sealedName: 'sealed_name',
  source: 'source',
  requestId: 'request_id',
  attempts: 'attempts',
  createdAt: 'created_at',
  dueAt: 'due_at',
});

export function resetRequestVerbs(db: Knex): ResetRequestStore {
  const one = (accountId: number, id: number) => db('reset_requests').where({ account_id: accountId, id });
  return {
    add: async (request) => {
      await db('reset_requests').insert(requests.write(request));
    },
    countOpen: async (accountId) => {
      const [counted] = await db('reset_requests').where('account_id', accountId).count({ number: '*' });
      return Number(counted?.['number']);
    },
    claim: async (now, until, limit, except = []) => {
      const claimed = await claimDue(db, 'reset_requests', { now, until, limit, except });
      return claimed.map(requests.read);
    },
    postpone: async (accountId, id, dueAt) => {
      await one(accountId, id).update({ due_at: dueAt });
    },
    remove: async (accountId, id) => (await one(accountId, id).delete()) === 1,
  };
}
