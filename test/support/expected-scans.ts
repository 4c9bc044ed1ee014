/** Statements that look through a table, or through all rows of an account, each with its reason. */

interface ExpectedScan {
  /** The table, or its alias in the statement. */
  readonly of: RegExp;
  readonly where: RegExp;
  readonly because: string;
}

const any = /./;

export const expectedScans: readonly ExpectedScan[] = [
  {
    of: /^(accounts|account_hosts|migrations|migrations_lock|facts|sqlite_\w+|pg_\w+)$/,
    where: any,
    because: 'an installation has few of them',
  },
  {
    of: /^(signing_keys|policies|custom_attributes|others|api_keys|credentials|administrators|authorization_servers)$/,
    where: any,
    because: 'an account has few of them',
  },
  {
    of: /^(hooks|h|v|hook_versions|hook_variables|package_builds)$/,
    where: any,
    because: 'an account has few of them',
  },
  { of: /^event_heads$/, where: any, because: 'an account has one' },
  {
    of: /^authorization_server_(scopes|claims)$/,
    where: / and server_id in \((\S+, ){49,}\S+\) order by id asc$/,
    because: 'a client that is linked to so many servers has most of those of its account',
  },
  {
    of: any,
    where: /^insert into accounts /,
    because: 'SQLite looks whether rows without an account wait for the new one',
  },
  {
    of: /^(daily_counts|counted)$/,
    where: /^insert into account_counts .* from daily_counts\) as counted group by /,
    because: 'a migration fills the table once',
  },
  {
    of: /^(users|user_counts)$/,
    where:
      /^insert into user_counts \(account_id, delta\) select account_id, count\(\*\) from users group by account_id$/,
    because: 'a migration fills the table once',
  },
  {
    of: /^users$/,
    where: /^select \(select count\(\*\) from users where account_id = \S+ and counted >= 0\) - /,
    because: 'an operator changed rows by hand, and has all of the account looked at',
  },
  {
    of: /^users$/,
    where: / indexed by users_waiting_for_search where /,
    because: 'few users wait for the index of their texts, and nobody else is in that index',
  },
  { of: /^user_counts$/, where: any, because: 'an account has few of them: they are added up every minute' },
  {
    of: /^users$/,
    where:
      /^select \* from users where account_id = (\?|\$1) and not exists \(select 1 from removals .* order by id asc$/,
    because: 'all of them were asked for, on the command line',
  },
  {
    of: /^(change_notices|reset_requests|logout_notices|waiting)$/,
    where:
      /^select count\(\*\) as count, min\(due_at\) as due from \(select due_at from \w+ order by due_at asc limit (\?|\$1)\) as waiting$/,
    because: 'it counts along an index what waits to be sent, ten thousand at most, once a minute',
  },
  { of: any, where: / sqlite_(master|schema) /, because: 'a test or a start looks at the schema' },
  {
    of: /^(users|clients|factor_devices)$/,
    where:
      /^update (users set policy_id = null where policy_id is not null|clients set updated_at = created_at)$|^delete from factor_devices where kind = 'passkey'$/,
    because: 'a migration fills a column of all rows, or is undone',
  },
  {
    of: /^(users|grants|removals)$/,
    where:
      /^update (users set manager_user_id = null where \(account_id, manager_user_id\) in|grants set (revoked_because = '[^']+', revoked_at = \(select |revoked_at = (\?|\$1), revoked_because = 'the API is no longer linked' where ))/,
    because: 'a migration is undone',
  },
  {
    of: any,
    where: /^select (case when exists \(select 1 from removals where .* then \(select )?count\(\*\) as total from /,
    because: 'a total was asked for: it is what a total costs',
  },
  { of: /^events$/, where: /^select \(select last_id from event_heads /, because: 'max(id) is the end of the index' },
  {
    of: /^(clients|app_roles|authorization_server_scopes|authorization_server_claims)$/,
    where: / and 1 = (\?|\$\d+)/,
    because: 'no id was asked for: it ends before the first row',
  },
  {
    of: /^(removals|grants)$/,
    where: /\(select (coalesce\()?max\(id\)(, 0\))? from (removals|grants) where account_id = (\?|\$\d+)\)/,
    because: 'max(id) is the end of the index',
  },
  {
    of: /^removals$/,
    where: /^select (\* from removals order by id|count\(\*\) as count, min\(removed_at\))/,
    because: 'few wait, and the first of them is asked for, or all',
  },
  {
    of: /^reset_requests$/,
    where: /^select count\(\*\) as number from reset_requests /,
    because: 'an account has so many as its limit allows',
  },
  {
    of: /^users$/,
    where: / intersect select \* from \(select id from users where account_id = /,
    because: 'a name is looked for in five columns, among linked users: SQLite may begin with all users, in a thread',
  },
  {
    of: /^clients$/,
    where: /^select app_id from clients where account_id = \S+ and linked_servers <> \(select count\(\*\) from /,
    because: 'an operator changed rows by hand, and has all of the account looked at',
  },
  { of: any, where: /^select count\(\*\) as rows_to_copy from \w+$/, because: 'all rows of it are copied' },
  {
    of: /_seq$/,
    where: /^select case when is_called then last_value else 0 end::text as number from /,
    because: 'a sequence is one row',
  },
];
