import type { Knex } from 'knex';
import { atAccount } from '../at-account.ts';
import type { Dialect, RowLock } from '../dialect.ts';
import type { FixedStatement } from '../fixed-reads.ts';
import { nearestOfOne, places } from '../links.ts';
import { present, refersToPresent } from '../removed.ts';
import type { Cell, DbRow } from '../shape.ts';
import { run } from './statements.ts';

/**
 * Locks what gives a user an app, so that it cannot be removed, and returns whether anything does. Locks the client and
 * the role first, as their removal does.
 */
export const heldAccess = `with direct as materialized (
    select 1 from clients c join app_users au on au.account_id = c.account_id and au.app_id = c.app_id
    where c.account_id = $1 and c.app_id = $2 and au.user_id = $3 and ${present('app', 'c', 'app_id')}
    for key share of c for share of au
  ), by_role as materialized (
    select 1 from clients c join app_roles ar on ar.account_id = c.account_id and ar.app_id = c.app_id
      join roles r on r.account_id = c.account_id and r.id = ar.role_id
      join role_users ru on ru.account_id = c.account_id and ru.role_id = ar.role_id
    where c.account_id = $1 and c.app_id = $2 and ru.user_id = $3
      and ${present('app', 'c', 'app_id')} and ${present('role', 'r')}
    for key share of c for key share of r for share of ru for share of ar
  ) select exists (select 1 from direct) or exists (select 1 from by_role) as assigned`;

const locks: Readonly<Record<RowLock, string>> = {
  forUpdate: 'for update',
  forNoKeyUpdate: 'for no key update',
  forShare: 'for share',
  forKeyShare: 'for key share',
};

function rowsOf(answer: unknown): DbRow[] {
  return (answer as { rows: DbRow[] }).rows;
}

/** A text in a pattern. */
const literally = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&');

const runFixed = (db: Knex, { name, numbered }: FixedStatement, values: readonly Cell[]) =>
  run(db, name, numbered, values);

export const postgresDialect: Dialect = {
  lock: async (rows, as) => {
    await rows()[as]();
  },
  waitFor: (rows) => rows.forUpdate(),
  passOver: (rows) => rows.forUpdate().skipLocked(),
  passingOver: 'for update skip locked',
  // Without a reference to its row it is run once, before the first row.
  withoutWaiting: "(select set_config('synchronous_commit', 'off', true)) = 'off'",
  placeOf: () => 'ctid',
  holdAccess: async (tx, { accountId, appId, userId }) => {
    const [found] = await run(tx, 'held-access', heldAccess, [accountId, appId, userId]);
    return found?.['assigned'] === true;
  },
  now: 'cast(extract(epoch from now()) * 1000 as bigint)',
  readFixed: runFixed,
  writeFixed: runFixed,
  lockFixed: (tx, { name, numbered }, values, as) =>
    run(tx, `${name} ${locks[as]}`, `${numbered} ${locks[as]}`, values),
  rowsOf,
  // PostgreSQL refuses to compare a number that is larger than its column's type without the cast.
  numberGiven: 'cast(? as bigint)',
  // Half as expensive as a cast to JSON. A quotation mark within a text is escaped, so that only a name matches.
  numberIn: (column, member) => `cast(substring(${column} from '"${member}":([0-9]{1,18})') as bigint)`,
  byBytes: (text) => `(${text}) collate "C"`,
  // An index of trigrams serves `like` alone (user-search.ts).
  endsWith: (text, suffix) => [`${text} like ?`, [`%${literally(suffix)}`]],
  holds: (text, other) => [`${text} like ?`, [`%${literally(other)}%`]],
  userSearch: null,
  unindexed: null,
  indexed: (value, id) => `(${value}), ${id}`,
  listOf: (column) => `json_agg(${column} order by ${column})::text`,
  nearestThrough: (links, accountId, values, stretch) => {
    const { column, by, through } = links;
    const [nearest, ofAccount] = atAccount(nearestOfOne(links, stretch), accountId, 'k');
    const sql = `select l.${column} from ${through.table} k cross join lateral (${nearest} ?) l
      where k.account_id = ? and k.${through.by} in (${places(values)})
        and ${refersToPresent('k', by)} and ${refersToPresent('k', through.by)}`;
    return [sql, [...ofAccount, stretch.id, stretch.count, accountId, ...values]];
  },
};
