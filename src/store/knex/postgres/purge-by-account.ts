/**
 * Slices on a database that is distributed by account, where a statement that locks rows must stay with one account.
 * Elsewhere that would only be slower: one statement for each account in place of one for all (purge.ts).
 */

import type { Knex } from 'knex';
import type { ExpiringTable, Slice, SliceWanted } from '../../purge.ts';
import { byAccount } from '../by-account.ts';
import { expiringKinds } from '../purge.ts';
import { postgresDialect } from './dialect.ts';

const known = new WeakMap<Knex, Promise<boolean>>();

async function ask(db: Knex): Promise<boolean> {
  const { rows } = await db.raw("select to_regclass('citus_tables') is not null as found");
  return rows[0].found;
}

/** Whether Citus is here; asked once, and again after an error. */
export function isDistributed(db: Knex): Promise<boolean> {
  const asked =
    known.get(db) ??
    ask(db).catch((error: unknown) => {
      known.delete(db);
      throw error;
    });
  known.set(db, asked);
  return asked;
}

type Row = Readonly<Record<string, string | number>>;

/** Deletes those of the rows that nobody has locked, account by account, and returns how many. */
export async function deleteRows(
  db: Knex,
  table: string,
  key: readonly string[],
  found: readonly Row[],
  narrow: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<number> {
  const owned = found.map((row) => ({ accountId: Number(row['account_id']), values: key.map((name) => row[name]) }));
  let deleted = 0;
  for (const [accountId, own] of byAccount(owned)) {
    const values = own.map((row) => row.values) as string[][]; // Knex's types know no numbers here.
    const rows = db(table)
      .where('account_id', accountId)
      .whereIn([...key], values)
      .select([...key]);
    const free = postgresDialect.passOver(narrow(rows));
    deleted += await db(table)
      .withMaterialized('free', free)
      .where('account_id', accountId)
      .whereIn([...key], db('free').select([...key]))
      .delete();
  }
  return deleted;
}

export async function purgeExpired(db: Knex, table: ExpiringTable, { now, from, limit }: SliceWanted): Promise<Slice> {
  const { key, keep } = expiringKinds[table];
  const until = now - keep;
  const found: Row[] = await db(table)
    .select(['account_id', ...key, 'expires_at'])
    .whereBetween('expires_at', [from?.[0] ?? 0, until])
    .orderBy('expires_at')
    .limit(limit);
  const last = found.at(-1);
  if (!last) return { deleted: 0, reached: from, isLast: true, overdueSince: null };
  const deleted = await deleteRows(db, table, key, found, (rows) => rows.where('expires_at', '<=', until));
  const reached = Number(last['expires_at']);
  return { deleted, reached: [reached], isLast: found.length < limit, overdueSince: reached + keep };
}
