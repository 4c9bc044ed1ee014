import type { Knex } from 'knex';
import { dialectOf } from './dialect.ts';
import type { DbRow } from './shape.ts';

interface Claim {
  readonly now: number;
  /** When the rows are due again. */
  readonly until: number;
  readonly limit: number;
  /** Accounts whose rows are left. */
  readonly except: readonly number[];
  /** What else is set in a claimed row. */
  readonly set?: Readonly<Record<string, unknown>>;
}

/** How many more rows are looked at than are wanted: other processes may be claiming the first ones. */
const spare = 16;

/** Claims those of the rows that are still due, each for one caller, in its account. */
async function claimIn(db: Knex, table: string, accountId: number, ids: readonly number[], claim: Claim) {
  const own = () => db(table).where('account_id', accountId).where('due_at', '<=', claim.now);
  // Nobody waits for another process.
  const free = dialectOf(db).passOver(own().whereIn('id', ids).select('id'));
  // A second caller finds a changed time in the row, and does not get it.
  const rows: DbRow[] = await own()
    .with('free', free)
    .whereIn('id', db('free').select('id'))
    .update({ due_at: claim.until, attempts: db.raw('attempts + 1'), ...claim.set })
    .returning('*');
  return rows;
}

/**
 * Claims the rows of a work table that are due longest, of all accounts except those in `except`, filtered by `narrow`,
 * each for one caller: they are due again at `until`, and an attempt is counted. Only the look at what is due goes
 * through all accounts; each account's rows are claimed by statements of its own.
 */
export async function claimDue(
  db: Knex,
  table: string,
  claim: Claim,
  narrow: (due: Knex.QueryBuilder) => void = () => {},
): Promise<DbRow[]> {
  const { now, limit, except } = claim;
  const due = db(table).select(['account_id', 'id']).where('due_at', '<=', now).whereNotIn('account_id', except);
  narrow(due);
  const found: { account_id: number; id: number }[] = await due.orderBy('due_at').limit(limit + spare);
  const claimed: DbRow[] = [];
  let next = 0;
  while (next < found.length && claimed.length < limit) {
    const some = found.slice(next, next + limit - claimed.length);
    next += some.length;
    for (const accountId of new Set(some.map((row) => Number(row.account_id)))) {
      const ids = some.filter((row) => Number(row.account_id) === accountId).map(({ id }) => Number(id));
      claimed.push(...(await claimIn(db, table, accountId, ids, claim)));
    }
  }
  return claimed;
}
