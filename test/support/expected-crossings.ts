/** Statements that go beyond one account, each with its reason. */

interface ExpectedCrossing {
  readonly where: RegExp;
  readonly because: string;
}

export const expectedCrossings: readonly ExpectedCrossing[] = [
  {
    where:
      /^(select count\(\*\) as rows_to_copy from \w+$|select [\w, ]+ from \w+ (where \([\w, ]+\) > \([$\d, ]+\) )?order by [\w, ]+ limit \d+$|insert into \w+ \([\w, ]+\) overriding system value select \* from unnest\()/,
    because: '`db copy` reads and writes whole tables, in the order of their keys',
  },
  {
    where: /^select account_id, id from \w+ where due_at <= \$1 .*order by due_at asc limit \$\d+$/,
    because: 'a worker looks for what is due longest; it claims it by a statement of its account',
  },
  {
    where: /^select account_id, id from removals where account_id (>|<=) \$1 .*order by account_id asc, id asc limit/,
    because: 'clearing looks for the next removal; it locks and clears it by statements of its account',
  },
  {
    where: /^select account_id from user_counts group by account_id having count\(\*\) > /,
    because: 'housekeeping looks whose counts have grown; it adds them up by statements of their account',
  },
  {
    where: /^select count\(\*\) as count, min\((removed_at|due_at)\) as \w+ from /,
    because: 'metrics and readiness count what waits, once a minute',
  },
  {
    where: /^select account_id from \(select h\.account_id, h\.created_at, .* from hooks as h where h\.disabled = /,
    because: 'a server that starts looks which accounts use hooks, to have processes ready for them',
  },
  {
    where: /^select v\.runtime, count\(\*\) as total from hooks as h inner join hook_versions as v /,
    because: 'a start and the doctor count hooks by runtime',
  },
  {
    where:
      /^select c\.account_id, c\.app_id, c\.created_at, \(select max\(d\.day\) from daily_counts .* c\.registered_by = 'open' /,
    because: 'housekeeping walks through the clients that registered in the open',
  },
  {
    where: /^select \(select expires_at from access_tokens where expires_at >= \$1 /,
    because: 'housekeeping looks which table has expired rows, in one statement',
  },
  {
    where: /^with due as \(select ctid from (\w+) where expires_at >= \$1 and expires_at <= \$2 .* delete from \1 /,
    because:
      'housekeeping deletes what has expired in the order of time; a distributed database gets one for each account',
  },
  {
    where:
      /^select account_id, id from grants where \(account_id, id\) > \(\$1, \$2\) order by account_id asc, id asc limit/,
    because: 'housekeeping walks through all grants',
  },
  {
    where: /^with dead as \(select ctid from grants where \(account_id, id\) > .* delete from grants /,
    because:
      'housekeeping deletes the dead ones of a stretch of grants; a distributed database gets one for each account',
  },
  {
    where: /^select account_id, [\w, ]+, expires_at from \w+ where expires_at between \$1 and \$2 order by expires_at/,
    because: 'housekeeping of a distributed database looks for what has expired',
  },
  {
    where:
      /^select digest from package_bundles where used_at <= \$1 and digest not in \(select digest from package_builds /,
    because: 'a bundle belongs to no account, and goes when no build of any account has it',
  },
];
