import type { DailyCounts, Services } from '../../services.ts';
import type { AccountCountKind, AccountCountRecord, CountKind, DailyCountRecord } from '../../store/counts.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { StoreWatcher } from '../../store/watched.ts';
import { day } from '../durations.ts';
import { signInOf } from './sign-ins.ts';

/** How long counts of a whole account are kept, after the end of their day. */
const keptMilliseconds = 90 * day;
/** Subjects beyond this number per day are not counted until the next flush, to bound memory. */
const mostKept = 100_000;

type Writable<Rec> = { -readonly [Key in keyof Rec]: Rec[Key] };

/**
 * Counts in memory events that are too frequent to be recorded one by one. `flush` adds the counts to the stored ones;
 * counts that were not flushed when a process is killed are lost.
 */
export function createDailyCounts({ store, clock }: Pick<Services, 'store' | 'clock'>): DailyCounts {
  let kept = new Map<string, Writable<DailyCountRecord>>();
  let keptOfAccounts = new Map<string, Writable<AccountCountRecord>>();

  function add(count: DailyCountRecord): void {
    const key = `${count.day} ${count.accountId} ${count.kind} ${count.subjectId}`;
    const known = kept.get(key);
    if (known) {
      known.count += count.count;
      known.lastAt = Math.max(known.lastAt ?? 0, count.lastAt ?? 0);
    } else if (kept.size < mostKept) kept.set(key, { ...count });
  }

  const addToAccounts = (count: AccountCountRecord) => addTo(keptOfAccounts, count);

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
    addToAccount: (accountId, kind) => {
      const date = dayOf(clock.now());
      addToAccounts({ accountId, day: date, kind, count: 1, expiresAt: expiryOf(date) });
    },
    async flush() {
      const counts = [...kept.values()];
      const ofAccounts = [...keptOfAccounts.values()];
      if (counts.length + ofAccounts.length === 0) return;
      kept = new Map();
      keptOfAccounts = new Map();
      try {
        await store.counts.add(counts, sumsOf(counts, ofAccounts));
      } catch (error) {
        for (const count of counts) add(count);
        for (const count of ofAccounts) addToAccounts(count);
        throw error;
      }
    },
  };
}

function addTo(kept: Map<string, Writable<AccountCountRecord>>, count: AccountCountRecord): void {
  const key = `${count.day} ${count.accountId} ${count.kind}`;
  const known = kept.get(key);
  if (known) known.count += count.count;
  else kept.set(key, { ...count });
}

/** Of all subjects of an account together, and what was counted for the account alone. */
function sumsOf(
  counts: readonly DailyCountRecord[],
  ofAccounts: readonly AccountCountRecord[],
): readonly AccountCountRecord[] {
  const sums = new Map<string, Writable<AccountCountRecord>>();
  for (const { accountId, day: date, kind, count } of counts) {
    addTo(sums, { accountId, day: date, kind: kindOfAccount(kind), count, expiresAt: expiryOf(date) });
  }
  for (const count of ofAccounts) addTo(sums, count);
  return [...sums.values()];
}

function kindOfAccount(kind: CountKind): AccountCountKind {
  return isCall(kind) ? 'deprecated_call' : kind;
}

function isCall(kind: CountKind): kind is `call.${string}` {
  return kind.startsWith('call.');
}

function expiryOf(date: string): Milliseconds {
  return Date.parse(date) + day + keptMilliseconds;
}

/** Counts sign-ins and runs of hooks, when they are stored. */
export function countWatcher(counts: Pick<DailyCounts, 'addToAccount'>): StoreWatcher {
  return {
    event: (event) => {
      const signIn = signInOf(event);
      if (signIn) counts.addToAccount(event.accountId, `sign_in.${signIn.outcome}`);
    },
    hookRun: ({ accountId, outcome }) => counts.addToAccount(accountId, `hook.${outcome}`),
  };
}
