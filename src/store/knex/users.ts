import type { Knex } from 'knex';
import type { UserRecord } from '../records.ts';
import type { UserKeys, UserStore } from '../store.ts';
import * as rows from './rows.ts';
import type { Cell, DbRow } from './shape.ts';
import { separately } from './transact.ts';

function write(values: Partial<UserRecord & UserKeys>): Record<string, Cell> {
  return { ...rows.users.write(values), ...rows.userKeys.write(values) };
}

function readOne(row: DbRow | undefined): UserRecord | null {
  return row ? rows.users.read(row) : null;
}

type AttemptVerb = 'countAttempt' | 'countDecoyAttempt' | 'clearAttempts';

/** The counter of wrong passwords: every change is one statement, so that parallel guesses cannot get past it. */
function attemptVerbs(db: Knex): Pick<UserStore, AttemptVerb> {
  return {
    countAttempt: async ({ accountId, userId, now, maximum, lockedUntil }) => {
      // On the right of an assignment stand the old values: a pause that is set and passed starts the count anew.
      const count = 'case when locked_until is null then invalid_login_attempts + 1 else 1 end';
      const [counted] = await db('users')
        .where({ account_id: accountId, id: userId })
        .where((open) => open.whereNull('locked_until').orWhere('locked_until', '<=', now))
        .update(
          {
            invalid_login_attempts: db.raw(count),
            locked_until: db.raw(`case when ${count} >= cast(? as integer) then cast(? as bigint) end`, [
              maximum,
              lockedUntil,
            ]),
          },
          ['locked_until'],
        );
      if (!counted) return null;
      return counted.locked_until === null ? 'counted' : 'last';
    },
    countDecoyAttempt: async (accountId) => {
      await db('accounts').where('id', accountId).increment('decoy_attempts');
    },
    clearAttempts: async (accountId, userId, passwordDigest) => {
      await db('users')
        .where({ account_id: accountId, id: userId })
        .update({
          invalid_login_attempts: 0,
          locked_until: null,
          ...(passwordDigest === undefined ? {} : { password_digest: passwordDigest }),
        });
    },
  };
}

export function userVerbs(db: Knex): UserStore {
  const find = async (accountId: number, id: number) =>
    readOne(await db('users').where({ account_id: accountId, id }).first());
  return {
    ...attemptVerbs(db),
    find,
    create: (user) =>
      separately(db, async (tx) => {
        const [row] = await tx('users').insert(write(user)).returning('*');
        return rows.users.read(row);
      }),
    findByName: async (accountId, key) =>
      readOne(
        await db('users')
          .where('account_id', accountId)
          .where((either) => either.where('email_key', key).orWhere('username_key', key))
          .orderByRaw('case when email_key = ? then 0 else 1 end', [key])
          .first(),
      ),
    findByEmail: async (accountId, emailKey) =>
      readOne(await db('users').where({ account_id: accountId, email_key: emailKey }).first()),
    list: async (accountId) => {
      const found = await db('users').where('account_id', accountId).orderBy('id');
      return found.map(rows.users.read);
    },
    update: async (accountId, id, changes) => {
      const row = write(changes);
      if (Object.keys(row).length === 0) return find(accountId, id);
      return separately(db, async (tx) => {
        const [changed] = await tx('users').where({ account_id: accountId, id }).update(row).returning('*');
        return readOne(changed);
      });
    },
    remove: async (accountId, id) => (await db('users').where({ account_id: accountId, id }).delete()) === 1,
  };
}
