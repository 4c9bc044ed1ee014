import type { Knex } from 'knex';
import type { InviteStore } from '../store.ts';
import * as rows from './rows.ts';

/** Links with which users choose a password; those of invites and those that were asked for are kept apart. */
export function linkVerbs(db: Knex, table: 'invite_links' | 'password_resets'): InviteStore {
  const one = (accountId: number, digest: string) => db(table).where({ account_id: accountId, digest });
  return {
    replace: async (link) => {
      await db(table).insert(rows.inviteLinks.write(link)).onConflict(['account_id', 'user_id']).merge();
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
