import type { Knex } from 'knex';
import type { CountStore, DailyCountRecord } from '../counts.ts';
import * as rows from './audit-rows.ts';
import { byAccount } from './by-account.ts';

const countsAtOnce = 500;
const countKey = ['account_id', 'day', 'kind', 'subject_id'];

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

export function countVerbs(db: Knex): CountStore {
  return {
    add: async (counts) => {
      // In a fixed order, so that concurrent writers cannot deadlock.
      const ordered = [...counts].sort(
        (one, other) =>
          (one.day < other.day ? -1 : Number(one.day > other.day)) ||
          (one.kind < other.kind ? -1 : Number(one.kind > other.kind)) ||
          one.subjectId - other.subjectId,
      );
      await db.transaction(async (tx) => {
        for (const [, own] of byAccount(ordered)) {
          for (let from = 0; from < own.length; from += countsAtOnce)
            await addSome(tx, own.slice(from, from + countsAtOnce));
        }
      });
    },
    list: async (accountId, from) => {
      const found = await db('daily_counts').where('account_id', accountId).where('day', '>=', from).orderBy(countKey);
      return found.map(rows.dailyCounts.read);
    },
  };
}
