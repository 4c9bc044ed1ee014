import type { Knex } from 'knex';
import type { NoticeStore } from '../store.ts';
import { logoutNotices } from './client-rows.ts';

export function noticeVerbs(db: Knex): NoticeStore {
  const one = (accountId: number, id: number) => db('logout_notices').where({ account_id: accountId, id });
  return {
    addForSession: async (accountId, { userId, sid }, subjectFor, at) => {
      const clients: { app_id: number; extra: string; sector: string | null }[] = await db('clients as c')
        .select('c.app_id', 'c.extra', 'c.sector')
        .where('c.account_id', accountId)
        .whereIn('c.app_id', db('grants').select('app_id').where({ account_id: accountId, user_id: userId, sid }));
      // Which clients want to be told stands in their metadata, which the database does not look into.
      const told = clients.filter(({ extra }) => JSON.parse(extra).backchannel_logout_uri !== undefined);
      if (told.length === 0) return 0;
      const due = { account_id: accountId, sid, attempts: 0, due_at: at };
      await db('logout_notices').insert(
        told.map(({ app_id, sector }) => ({ ...due, app_id, subject: subjectFor({ sector }) })),
      );
      return told.length;
    },
    claim: async (now, until, limit) => {
      const due = db('logout_notices').select(['account_id', 'id']).where('due_at', '<=', now).orderBy('due_at');
      // Whoever comes second finds another time in the row, and does not get it.
      const claimed = await db('logout_notices')
        .whereIn(['account_id', 'id'], due.limit(limit))
        .where('due_at', '<=', now)
        .update({ due_at: until, attempts: db.raw('attempts + 1') })
        .returning('*');
      return claimed.map(logoutNotices.read);
    },
    postpone: async (accountId, id, dueAt) => {
      await one(accountId, id).update({ due_at: dueAt });
    },
    remove: async (accountId, id) => (await one(accountId, id).delete()) === 1,
  };
}
