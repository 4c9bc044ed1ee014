import type { Knex } from 'knex';
import type { InviteStore } from '../store.ts';
import * as rows from './rows.ts';

export function inviteVerbs(db: Knex): InviteStore {
  const one = (accountId: number, digest: string) => db('invite_links').where({ account_id: accountId, digest });
  return {
    replace: async (link) => {
      await db('invite_links').insert(rows.inviteLinks.write(link)).onConflict(['account_id', 'user_id']).merge();
    },
    find: async (accountId, digest) => {
      const row = await one(accountId, digest).first();
      return row ? rows.inviteLinks.read(row) : null;
    },
    use: async (accountId, digest, now) => {
      const live = one(accountId, digest).whereNull('used_at').where('expires_at', '>', now);
      return (await live.update({ used_at: now })) === 1;
    },
  };
}
