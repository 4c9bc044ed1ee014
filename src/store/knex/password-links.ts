import type { Knex } from 'knex';
import type { InviteStore, LinkStore, PasswordResetStore } from '../password-links.ts';
import * as rows from './rows.ts';

/** Links with which users choose a password; invites and resets are stored separately. */
function linkVerbs(db: Knex, table: 'invite_links' | 'password_resets'): LinkStore {
  const one = (accountId: number, digest: string) => db(table).where({ account_id: accountId, digest });
  return {
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

export function inviteVerbs(db: Knex): InviteStore {
  return {
    ...linkVerbs(db, 'invite_links'),
    replace: async (link) => {
      await db('invite_links').insert(rows.inviteLinks.write(link)).onConflict(['account_id', 'user_id']).merge();
    },
  };
}

export function passwordResetVerbs(db: Knex): PasswordResetStore {
  return {
    ...linkVerbs(db, 'password_resets'),
    add: async (link) => {
      await db('password_resets').insert(rows.inviteLinks.write(link));
    },
  };
}
