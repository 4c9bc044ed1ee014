import type { Knex } from 'knex';
import { dialectOf } from './dialect.ts';

/**
 * Claims the rows of a work table that are due longest, of all accounts except those in `except`, filtered by `narrow`,
 * each for one caller: they are due again at `until`, and an attempt is counted.
 */
export function claimDue(
  db: Knex,
  table: string,
  { now, until, limit, except }: { now: number; until: number; limit: number; except: readonly number[] },
  narrow: (due: Knex.QueryBuilder) => void = () => {},
): Knex.QueryBuilder {
  const due = db(table).select(['account_id', 'id']).where('due_at', '<=', now).whereNotIn('account_id', except);
  narrow(due);
  // Nobody waits for another process.
  dialectOf(db).passOver(due.orderBy('due_at').limit(limit));
  // A second caller finds a changed time in the row, and does not get it.
  return db(table)
    .with('due', due)
    .whereIn(['account_id', 'id'], db('due').select(['account_id', 'id']))
    .where('due_at', '<=', now)
    .update({ due_at: until, attempts: db.raw('attempts + 1') })
    .returning('*');
}
