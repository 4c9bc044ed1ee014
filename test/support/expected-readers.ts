/**
 * Which statements may read or change what can be removed, or links to it, without asking what is removed: its row
 * stays until nothing hangs on it any more (src/store/knex/removals.ts), and nobody is to find it meanwhile.
 */

interface ExpectedReader {
  readonly where: RegExp;
  readonly because: string;
}

const expectedReaders: readonly ExpectedReader[] = [
  {
    where:
      /^select \w+ from (users|clients|roles|custom_attributes|authorization_servers|app_users|app_roles|role_users|role_admins) where .* for (key share|share|no key update|update)$/,
    because: 'it waits for the lock of a row; another statement asks what has become of it',
  },
  {
    where:
      /^with chosen as materialized \(select (\w+) from (\w+) where account_id = \S+ and \w+ = \S+ limit \S+( for update skip locked)?\) delete from \2 where account_id = \S+ and (\w+ = \S+ and )?\(\1\) in /,
    because: 'it clears what hangs on something removed',
  },
  {
    where: /^update users set manager_user_id = \S+ where account_id = \S+ and id in \(select id from users /,
    because: 'it clears what hangs on a removed user',
  },
  {
    where:
      /^(update clients set linked_servers = |select app_id from clients where .* and linked_servers <> )\(select /,
    because: 'the links of a removed app are counted until they are cleared, as are those of others',
  },
  {
    where: /^select user_id from role_users where account_id = \S+ and role_id = \S+ limit \S+$/,
    because: 'it clears what hangs on a removed role',
  },
  {
    where: /^select user_id, assigned_at from role_users where account_id = \S+ and role_id = \S+ and user_id in \(/,
    because: 'role and users were found before',
  },
  {
    where: /^update role_users set assigned_at = \S+ where account_id = /,
    because: 'role and user were found before',
  },
  {
    where: /^update users set (invalid_login_attempts|password_digest) = .* where account_id = \S+ and id = /,
    because: 'a user who is removed during the sign-in has attempts that are no longer read',
  },
  {
    where: /exists \(select 1 from removals where account_id = \$1\) as removing, /,
    because: 'where it says that anything of its account is being removed, its answer is not used',
  },
  {
    where: /^ with given .* and not \(select exists \(select 1 from removals where account_id = \$1\)\) and /,
    because: 'it finds nothing while anything of its account is removed and not cleared',
  },
  {
    where:
      /^update (users set policy_id = null where policy_id is not null|clients set updated_at = created_at|users set manager_user_id = null where \(account_id, )/,
    because: 'a migration fills a column of all rows, or is undone',
  },
  {
    where:
      /^select (count\(\*\) as rows_to_copy from \w+$|[\w, ]+ from \w+ (where \([\w, ]+\) > \([?$\d, ]+\) )?order by [\w, ]+ limit (\?|\d+)$)/,
    because: 'a copy of the database has what waits to be cleared, and that it waits',
  },
  {
    where:
      /^(update users set counted = \S+ where account_id = |select \(select count\(\*\) from users where account_id = )/,
    because: 'a removed user is counted no more, also one whom a process of the release before removed',
  },
  {
    where: /^select \(select coalesce\(sum\(delta\), 0\) from user_counts .* from removals gone join users u on /,
    because: 'it counts what is removed',
  },
  {
    where: /^insert into user_counts .* from users group by account_id$/,
    because: 'a migration counts all rows, as the release before does until they are cleared',
  },
  {
    where:
      /^(select id(, searched is not null as again, [\w, ]+)? from users indexed by users_waiting_for_search where searched is not |update users set searched = json_array\()/,
    because: 'the index of texts may have a removed user: whoever it finds is asked for by the list',
  },
  {
    where:
      /^select id, not exists \(select 1 from users where users\.id = known\.id\) as gone from user_search_docsize /,
    because: 'the index of texts has a removed user until the row is deleted',
  },
  {
    where: / union all select id from users indexed by users_waiting_for_search where account_id = /,
    because: 'the list around it asks once for all whom these find',
  },
  { where: /^select 1 from \w+ limit 1 offset \d+$/, because: 'it looks how large a table is' },
];

/** The tables of what can be removed, with the word for it in `removals`. */
const kinds = {
  users: 'user',
  clients: 'app',
  roles: 'role',
  custom_attributes: 'attribute',
  authorization_servers: 'api',
} as const;

/** Links to them, which are read without them. */
const links = /(?<!delete )\b(?:from|join|update) (app_users|app_roles|role_users|user_attributes)\b/;

function timesIn(text: string, pattern: string): number {
  return text.match(new RegExp(pattern, 'g'))?.length ?? 0;
}

/**
 * The table that a statement reads or changes without asking; null when there is none, or it is expected to. What can
 * be removed is asked for as often as its table is named; links are asked about once, as one of them leads to the next.
 */
export function readsRemoved(sql: string): string | null {
  const text = sql.replaceAll(/[`"]/g, '').replaceAll(/\s+/g, ' ');
  if (expectedReaders.some(({ where }) => where.test(text))) return null;
  for (const [table, kind] of Object.entries(kinds)) {
    const named = timesIn(text, `(?<!delete )\\b(?:from|join|update) ${table}\\b`);
    const asked = timesIn(
      text,
      `removals (?:gone where gone\\.|where )account_id = \\S+ and (?:gone\\.)?kind = '${kind}'`,
    );
    if (asked < named) return table;
  }
  const [, link] = links.exec(text) ?? [];
  return link === undefined || /\bremovals\b/.test(text) ? null : link;
}
