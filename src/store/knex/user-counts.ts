/**
 * How many users an account has, without counting them: what statements added and took away (`user_counts`). A row is
 * only ever added, so that writers of an account wait for nobody; rows are folded into one now and then.
 *
 * `users.counted` says by what a user is counted: 0 by a trigger, for a process of the release before, or by the
 * migration; 1 by the statement that adds the user (raising.ts); -1 not any more, which the removal of a user says.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { dialectOf } from './dialect.ts';
import { together } from './transact.ts';

/** What a statement that adds a user, or removes one, writes with it. */
export const countedBy = { statement: { counted: 1 }, nobody: { counted: -1 } } as const;

const sum = '(select coalesce(sum(delta), 0) from user_counts where account_id = ?)';

/** A process of the release before removes users, and leaves them counted until their rows are gone. */
const removedButCounted = `(select count(*) from removals gone
  join users u on u.account_id = gone.account_id and u.id = gone.object_id and u.counted >= 0
  where gone.account_id = ? and gone.kind = 'user')`;

/** The number of users of an account, in one statement: as of one moment. */
export async function countUsers(db: Knex, accountId: number): Promise<number> {
  const row: { total: unknown } | undefined = await db
    .select(db.raw(`${sum} - ${removedButCounted} as total`, [accountId, accountId]))
    .first();
  return Number(row?.total);
}

/** After changes by hand. What one moment lacks is added: others may count meanwhile. */
export async function recountUsers(client: Knex.Client, accountId: number): Promise<void> {
  const counted = '(select count(*) from users where account_id = ? and counted >= 0)';
  const lacking = client.raw(`${counted} - ${sum} as delta`, [accountId, accountId]);
  const row: { delta: unknown } | undefined = await client.queryBuilder().select(lacking).first();
  await addToCount(client, accountId, Number(row?.delta));
}

/** In the transaction of the change. */
export async function addToCount(client: Knex.Client, accountId: number, delta: number): Promise<void> {
  if (delta !== 0) await client.queryBuilder().from('user_counts').insert({ account_id: accountId, delta });
}

/** Rows of one fold; an account with more is folded again. */
const foldedAtOnce = 500;

async function foldSome(db: Knex, accountId: number): Promise<boolean> {
  return together(db, async (tx) => {
    const own = () => tx('user_counts').where('account_id', accountId);
    const found: { id: number; delta: number }[] = await dialectOf(tx).passOver(
      own().orderBy('id').limit(foldedAtOnce).select('id', 'delta'),
    );
    if (found.length < 2) return false;
    const ids = found.map(({ id }) => Number(id));
    const delta = found.reduce((total, row) => total + Number(row.delta), 0);
    await own().whereIn('id', ids).delete();
    await tx('user_counts').insert({ account_id: accountId, delta });
    return found.length === foldedAtOnce;
  });
}

/** Of one round. */
const accountsAtOnce = 1_000;

/**
 * Leaves one row, or a few where others write, to each account. Other work gets its turn between two folds: on SQLite
 * they would follow each other without one, 600 of them where a command imported 300,000 users.
 */
export async function foldUserCounts(db: Knex): Promise<void> {
  const grown: { account_id: number }[] = await db('user_counts')
    .select('account_id')
    .groupBy('account_id')
    .havingRaw('count(*) > 1')
    // Those with most rows first: each has its turn.
    .orderByRaw('count(*) desc')
    .limit(accountsAtOnce);
  for (const { account_id: accountId } of grown) {
    while (await foldSome(db, Number(accountId))) await nextTurn();
  }
}
