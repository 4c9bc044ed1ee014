import type { Knex } from 'knex';
import type { UserDetails, UserKeys, UserRecord, UserStore } from '../users.ts';
import type { HotVerbs } from './engine.ts';
import { fixedRead, fixedSelect, lockRow, readRow } from './fixed-reads.ts';
import { fixedWrite, writeRows } from './fixed-writes.ts';
import { listPage } from './list.ts';
import { remove } from './removals.ts';
import { present } from './removed.ts';
import * as rows from './rows.ts';
import type { Cell, DbRow } from './shape.ts';
import { separately } from './transact.ts';
import { countedBy } from './user-counts.ts';
import { readDetailed, userListing } from './user-listing.ts';

function write(values: Partial<UserRecord & UserKeys & UserDetails>): Record<string, Cell> {
  return { ...rows.users.write(values), ...rows.userKeys.write(values), ...rows.userDetails.write(values) };
}

/** What may be left out of a new user. All rows are written with the same columns. */
const unset = {
  verifiedEmail: null,
  emailHeldUntil: null,
  title: null,
  department: null,
  company: null,
  phone: null,
  comment: null,
  externalId: null,
  groupId: null,
  managerUserId: null,
  preferredLocaleCode: null,
  policyId: null,
  state: 1,
  invitationSentAt: null,
} as const satisfies UserDetails & Partial<UserRecord>;

/** What every new user begins with. */
const unused = { emailWrittenAt: null, signedOutAt: null, meansVersion: 0 } as const satisfies Partial<UserRecord>;

function readOne(row: DbRow | undefined): UserRecord | null {
  return row ? rows.users.read(row) : null;
}

/** The columns whose change invalidates links that set a password. */
const means = ['email', 'username', 'password_digest', 'status'] as const;

/** Those that must be unique, or refer to a row that may be gone. */
const conflicting = ['email_key', 'username_key', 'policy_id'] as const;

/** Counted here, because every change of a user is written here. */
function countMeans(db: Knex, row: Readonly<Record<string, Cell>>): Record<string, Knex.Raw> {
  const written = means.filter((column) => row[column] !== undefined);
  if (written.length === 0) return {};
  const differs = written.map((column) => `${column} is distinct from ?`).join(' or ');
  const values = written.map((column) => row[column] ?? null);
  return { means_version: db.raw(`means_version + case when ${differs} then 1 else 0 end`, values) };
}

/** Of one who is not removed. */
const presentUser = (column: string) => `account_id = ? and ${column} = ? and ${present('user', 'users')}`;
const byId = fixedSelect(rows.users, 'user-by-id', presentUser('id'));
/** A removal that the lock waited for is known by the row. */
const lockedById = fixedSelect(
  rows.users,
  'user-locked',
  `${presentUser('id')} and counted <> ${countedBy.nobody.counted}`,
);
const byEmail = fixedSelect(rows.users, 'user-by-email', presentUser('email_key'));
const userColumns = rows.users.columns.join(', ');
const detailedById = fixedRead(
  'user-detailed-by-id',
  `select ${userColumns}, ${rows.userDetails.columns.join(', ')} from users where ${presentUser('id')}`,
);
/** Each part uses its unique index. With `or` SQLite may read all users of the account instead. */
const byName = fixedRead(
  'user-by-name',
  `select ${userColumns}, 0 as place from users where ${presentUser('email_key')}
    union all select ${userColumns}, 1 as place from users where ${presentUser('username_key')} order by place limit 1`,
);

/** The right side of an assignment has the old values: a pause that has passed restarts the count. */
const attempts = 'case when locked_until is null then invalid_login_attempts + 1 else 1 end';
const countAttempt = fixedWrite(
  'user-count-attempt',
  `update users set invalid_login_attempts = ${attempts},
    locked_until = case when ${attempts} >= cast(? as integer) then cast(? as bigint) end
    where account_id = ? and id = ? and (locked_until is null or locked_until <= ?) returning locked_until`,
);
const clearAttempts = fixedWrite(
  'user-clear-attempts',
  'update users set invalid_login_attempts = 0, locked_until = null where account_id = ? and id = ?',
);

type AttemptVerb = 'countAttempt' | 'countDecoyAttempt' | 'clearAttempts' | 'replaceDigest';

/** The counter of wrong passwords: every change is one statement, so that parallel guesses cannot bypass it. */
function attemptVerbs(db: Knex): Pick<UserStore, AttemptVerb> {
  return {
    countAttempt: async ({ accountId, userId, now, maximum, lockedUntil }) => {
      const [counted] = await writeRows(db, countAttempt, maximum, lockedUntil, accountId, userId, now);
      if (!counted) return null;
      return counted['locked_until'] === null ? 'counted' : 'last';
    },
    countDecoyAttempt: async (accountId) => {
      await db('accounts').where('id', accountId).increment('decoy_attempts');
    },
    replaceDigest: async (accountId, id, from, to) => {
      const unchanged = db('users').where({ account_id: accountId, id, password_digest: from });
      return (await unchanged.update({ password_digest: to })) === 1;
    },
    clearAttempts: async (accountId, userId) => {
      await writeRows(db, clearAttempts, accountId, userId);
    },
  };
}

export function userVerbs(db: Knex, { append }: Pick<HotVerbs, 'append'>): UserStore {
  const find = async (accountId: number, id: number) => readOne(await readRow(db, byId, accountId, id));
  return {
    ...attemptVerbs(db),
    find,
    // Rows that reference the user may still be added.
    lock: async (accountId, id) => readOne(await lockRow(db, lockedById, 'forNoKeyUpdate', accountId, id)),
    findDetailed: async (accountId, id) => {
      const row = await readRow(db, detailedById, accountId, id);
      return row ? readDetailed(row) : null;
    },
    page: (accountId, query) => listPage(db, userListing, accountId, query),
    createAll: async (users) => {
      const added = users.map((user) => ({ ...write({ ...unset, ...unused, ...user }), ...countedBy.statement }));
      const ids = await separately(db, (tx) => append(tx, rows.users.table, 'id', added));
      return added.map((row, place) => rows.users.read({ ...row, id: ids[place] }));
    },
    idsByNames: async (accountId, names) => {
      const idsBy = async (column: 'email_key' | 'username_key', keys: readonly string[]) => {
        if (keys.length === 0) return new Map<string | null, number>();
        const found: { id: number; key: string }[] = await db('users')
          .where('account_id', accountId)
          .whereIn(column, keys)
          .whereRaw(present('user', 'users'))
          .select('id', { key: column });
        return new Map<string | null, number>(found.map(({ id, key }) => [key, id]));
      };
      const nameless = names.filter(({ emailKey }) => emailKey === null);
      const emails = await idsBy(
        'email_key',
        names.flatMap(({ emailKey }) => emailKey ?? []),
      );
      const usernames = await idsBy(
        'username_key',
        nameless.flatMap(({ usernameKey }) => usernameKey ?? []),
      );
      return names.map(
        ({ emailKey, usernameKey }) => (emailKey === null ? usernames.get(usernameKey) : emails.get(emailKey)) ?? null,
      );
    },
    findByName: async (accountId, key) => readOne(await readRow(db, byName, accountId, key, accountId, key)),
    findByEmail: async (accountId, emailKey) => readOne(await readRow(db, byEmail, accountId, emailKey)),
    list: async (accountId) => {
      const found = await db('users').where('account_id', accountId).whereRaw(present('user', 'users')).orderBy('id');
      return found.map(rows.users.read);
    },
    update: async (accountId, id, changes) => {
      const row = write(changes);
      if (Object.keys(row).length === 0) return find(accountId, id);
      const change = async (tx: Knex) => {
        const [changed] = await tx('users')
          .where({ account_id: accountId, id })
          .whereRaw(present('user', 'users'))
          .update({ ...row, ...countMeans(tx, row) })
          .returning('*');
        return readOne(changed);
      };
      return conflicting.some((column) => column in row) ? separately(db, change) : change(db);
    },
    remove: (accountId, id, at) => remove(db, 'user', accountId, id, at),
  };
}
