import type { Knex } from 'knex';
import type { KeyStore } from '../keys.ts';
import * as rows from './rows.ts';
import { separately } from './transact.ts';

export function keyVerbs(db: Knex): KeyStore {
  return {
    add: (key) =>
      separately(db, async (tx) => {
        await tx('signing_keys').insert(rows.signingKeys.write(key));
      }),
    list: async (accountId) => {
      const found = await db('signing_keys').where('account_id', accountId).orderBy(['signs_from', 'kid']);
      return found.map(rows.signingKeys.read);
    },
    retire: async (accountId, kid, retiresAt) => {
      await db('signing_keys').where({ account_id: accountId, kid }).update({ retires_at: retiresAt });
    },
    removeRetired: (accountId, now) =>
      db('signing_keys').where('account_id', accountId).where('retires_at', '<=', now).delete(),
  };
}
