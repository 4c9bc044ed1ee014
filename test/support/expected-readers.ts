/**
 * Which statements may read what can be removed, or links to it, without asking what is removed: its row stays until
 * nothing hangs on it any more (src/store/knex/removals.ts), and nobody is to find it meanwhile.
 */

interface ExpectedReader {
  readonly where: RegExp;
  readonly because: string;
}

const expectedReaders: readonly ExpectedReader[] = [
  {
    where: /^select \w+ from (users|clients|roles|custom_attributes) where .* for (key share|update)$/,
    because: 'it waits for the lock of a row; another statement asks what has become of it',
  },
  {
    where:
      /^delete from (\w+) where \(account_id, .* in \(select account_id, .* from \1 where account_id = \S+ and \w+ = \S+ limit /,
    because: 'it clears what hangs on something removed',
  },
  {
    where: /^update users set manager_user_id = \S+ where account_id = \S+ and id in \(select id from users /,
    because: 'it clears what hangs on a removed user',
  },
  {
    where: /^select user_id from role_users where account_id = \S+ and role_id = \S+ limit \S+$/,
    because: 'it clears what hangs on a removed role',
  },
  {
    where: /^select user_id, assigned_at from role_users where account_id = \S+ and role_id = \S+ and user_id in \(/,
    because: 'role and users were found before',
  },
  { where: /^select 1 from \w+ limit 1 offset \d+$/, because: 'it looks how large a table is' },
];

/** Tables of what is removed, and of links that are read without it. */
const read =
  /(?<!delete )\b(?:from|join) (users|clients|roles|custom_attributes|app_users|app_roles|role_users|user_attributes)\b/;

/** The table that a statement reads without asking; null when it reads none, or is expected to. */
export function readsRemoved(sql: string): string | null {
  const text = sql.replaceAll(/[`"]/g, '').replaceAll(/\s+/g, ' ');
  const [, table] = read.exec(text) ?? [];
  if (table === undefined || /\bremovals\b/.test(text)) return null;
  return expectedReaders.some(({ where }) => where.test(text)) ? null : table;
}
