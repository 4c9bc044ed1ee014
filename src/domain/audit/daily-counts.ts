import type { DailyCounts, Services } from '../../services.ts';
import type { DailyCountRecord } from '../../store/counts.ts';
import type { Milliseconds } from '../../store/time.ts';
import { day } from '../durations.ts';

/** Subjects beyond this number per day are not counted until the next flush, to bound memory. */
const mostKept = 100_000;

/**
 * Counts in memory events that are too frequent to be recorded one by one. `flush` adds the counts to the stored ones;
 * counts that were not flushed when a process is killed are lost.
 */
export function createDailyCounts({ store, clock }: Pick<Services, 'store' | 'clock'>): DailyCounts {
  let kept = new Map<string, { -readonly [Key in keyof DailyCountRecord]: DailyCountRecord[Key] }>();

  function add(count: DailyCountRecord): void {
    const key = `${count.day} ${count.accountId} ${count.kind} ${count.subjectId}`;
    const known = kept.get(key);
    if (known) {
      known.count += count.count;
      known.lastAt = Math.max(known.lastAt ?? 0, count.lastAt ?? 0);
    } else if (kept.size < mostKept) kept.set(key, { ...count });
  }

  let [dayNumber, date] = [Number.NaN, ''];
  function dayOf(now: Milliseconds): string {
    const number = Math.floor(now / day);
    if (number !== dayNumber) [dayNumber, date] = [number, new Date(now).toISOString().slice(0, 10)];
    return date;
  }

  return {
    add: (accountId, kind, subjectId) => {
      const now = clock.now();
      add({ accountId, day: dayOf(now), kind, subjectId, count: 1, lastAt: now });
    },
    async flush() {
      const counts = [...kept.values()];
      if (counts.length === 0) return;
      kept = new Map();
      try {
        await store.counts.add(counts);
      } catch (error) {
        for (const count of counts) add(count);
        throw error;
      }
    },
  };
}
