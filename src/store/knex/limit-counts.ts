import type { Knex } from 'knex';
import type { LimitCountStore } from '../limit-counts.ts';
import { dialectOf } from './dialect.ts';

const table = 'limit_counts';

/** Citus evaluates the time in a value, but in no `set`: so it comes as `excluded.told_at`. */
const taken = `case
  when excluded.expires_at <= excluded.told_at then limit_counts.taken
  when limit_counts.expires_at <= excluded.told_at then excluded.taken
  when limit_counts.taken + excluded.taken < 0 then 0
  else limit_counts.taken + excluded.taken end`;

const expiresAt = `case
  when excluded.expires_at <= excluded.told_at then limit_counts.expires_at
  when limit_counts.expires_at <= excluded.told_at then excluded.expires_at
  when limit_counts.expires_at > excluded.expires_at then excluded.expires_at
  else limit_counts.expires_at end`;

interface Row {
  readonly digest: string;
  readonly taken: number;
  readonly told_at: number;
  readonly expires_at: number;
}

export function limitCountVerbs(db: Knex): LimitCountStore {
  const { now } = dialectOf(db);
  return {
    add: async (accountId, counts) => {
      if (counts.length === 0) return [];
      // In a fixed order, so that concurrent writers cannot deadlock.
      const ordered = counts.toSorted((one, other) => (one.digest < other.digest ? -1 : 1));
      const given = ordered.map((count) => ({
        account_id: accountId,
        digest: count.digest,
        taken: count.taken,
        told_at: db.raw(now),
        expires_at: count.expiresAt ?? db.raw(`${now} + ?`, [count.leftMilliseconds]),
      }));
      const rows: Row[] = await db(table)
        .insert(given)
        .onConflict(['account_id', 'digest'])
        .merge({ taken: db.raw(taken), told_at: db.raw('excluded.told_at'), expires_at: db.raw(expiresAt) })
        .returning(['digest', 'taken', 'told_at', 'expires_at']);
      return rows.map((row) => ({
        digest: row.digest,
        taken: row.taken,
        expiresAt: row.expires_at,
        leftMilliseconds: row.expires_at - row.told_at,
      }));
    },
  };
}
