import type { Knex } from 'knex';
import type { AccountCountRecord, CountStore, DailyCountRecord } from '../counts.ts';
import * as rows from './audit-rows.ts';
import { byAccount } from './by-account.ts';
import { lastUses, listUses } from './client-uses.ts';
import { inNewTransaction } from './transact.ts';

const countsAtOnce = 500;
const countKey = ['account_id', 'day', 'kind', 'subject_id'];
const accountKey = ['account_id', 'day', 'kind'];

async function addSome(tx: Knex, counts: readonly DailyCountRecord[]): Promise<void> {
  await tx('daily_counts')
    .insert(counts.map((count) => rows.dailyCounts.write(count)))
    .onConflict(countKey)
    .merge({
      count: tx.raw('daily_counts.count + excluded.count'),
      // Processes count separately: the later time wins.
      last_at: tx.raw(`case when daily_counts.last_at > excluded.last_at
        then daily_counts.last_at else excluded.last_at end`),
    });
}

async function addSomeOfAccount(tx: Knex, counts: readonly AccountCountRecord[]): Promise<void> {
  await tx('account_counts')
    .insert(counts.map((count) => rows.accountCounts.write(count)))
    .onConflict(accountKey)
    .merge({ count: tx.raw('account_counts.count + excluded.count') });
}

/** In a fixed order, so that concurrent writers cannot deadlock. */
function inOrder<Count extends { readonly day: string; readonly kind: string; readonly subjectId?: number }>(
  counts: readonly Count[],
): Count[] {
  return [...counts].sort(
    (one, other) =>
      (one.day < other.day ? -1 : Number(one.day > other.day)) ||
      (one.kind < other.kind ? -1 : Number(one.kind > other.kind)) ||
      (one.subjectId ?? 0) - (other.subjectId ?? 0),
  );
}

async function addInParts<Count extends { readonly accountId: number }>(
  counts: readonly Count[],
  add: (some: readonly Count[]) => Promise<void>,
): Promise<void> {
  for (const [, own] of byAccount(counts)) {
    for (let from = 0; from < own.length; from += countsAtOnce) await add(own.slice(from, from + countsAtOnce));
  }
}

export function countVerbs(db: Knex): CountStore {
  return {
    add: (counts, ofAccounts = []) =>
      inNewTransaction(db, async (tx) => {
        await addInParts(inOrder(counts), (some) => addSome(tx, some));
        await addInParts(inOrder(ofAccounts), (some) => addSomeOfAccount(tx, some));
      }),
    list: async (accountId, from) => {
      const found = await db('daily_counts').where('account_id', accountId).where('day', '>=', from).orderBy(countKey);
      return found.map(rows.dailyCounts.read);
    },
    listOfAccount: async (accountId, from, to) => {
      const found = await db('account_counts')
        .where('account_id', accountId)
        .whereBetween('day', [from, to])
        .orderBy(['day', 'kind']);
      return found.map(rows.accountCounts.read);
    },
    listUses: (...asked) => listUses(db, ...asked),
    lastUses: (...asked) => lastUses(db, ...asked),
  };
}
