import type { Knex } from 'knex';
import type { SignInHistoryRecord, SignInHistoryStore } from '../sign-in-histories.ts';
import { json, shape } from './shape.ts';

const signInHistories = shape<SignInHistoryRecord>('sign_in_histories', null, {
  accountId: 'account_id',
  userId: 'user_id',
  history: json('history'),
  updatedAt: 'updated_at',
});

export function signInHistoryVerbs(db: Knex): SignInHistoryStore {
  return {
    find: async (accountId, userId) => {
      const row = await db('sign_in_histories').where({ account_id: accountId, user_id: userId }).first();
      return row ? signInHistories.read(row) : null;
    },
    keep: async (record) => {
      await db('sign_in_histories')
        .insert(signInHistories.write(record))
        .onConflict(['account_id', 'user_id'])
        .merge(['history', 'updated_at']);
    },
  };
}
