/** Tells other nodes what this one counted, and hears what they did: in rounds, beside the requests. */

import type { Log } from '../../services.ts';
import type { LimitCountStore } from '../../store/limit-counts.ts';
import type { Milliseconds } from '../../store/time.ts';
import { reasonOf } from '../describe.ts';
import { roundMilliseconds } from './pace.ts';
import type { Portion, Told } from './portion.ts';
import type { Batch, Portions } from './portions.ts';

/** The shortest pause between two rounds, when a portion is urgent. */
const urgentMilliseconds = 25;
/** The pause for each row that was told: at most 2,000 rows a second, however many subjects strangers invent. */
const millisecondsOfRow = 0.5;
/** The pause after a failed round. */
const failureMilliseconds = 1_000;

/** Receives the outcome of each statement. */
export interface RoundsReport {
  told(outcome: 'stored' | 'failed'): void;
}

export interface RoundsParts {
  readonly portions: Portions;
  readonly store: { readonly limitCounts: LimitCountStore };
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly report?: RoundsReport | undefined;
  /** Milliseconds of the monotonic clock that the counters use. */
  readonly elapsed: () => Milliseconds;
  /** Calls `work` later, unless what it returns is called before. */
  readonly later: (milliseconds: Milliseconds, work: () => void) => () => void;
}

export interface LimitRounds {
  start(): void;
  /** Tells what is left to tell, once; settles when no round is under way. */
  stop(): Promise<void>;
}

/**
 * A round begins a moment after a portion began to wait for it; while none waits, nothing is done. A failure delays the
 * next round, and changes nothing in what this node counts and allows.
 */
export function createLimitRounds({ portions, store, log, report, elapsed, later }: RoundsParts): LimitRounds {
  let isStarted = false;
  let fails = false;
  let running: Promise<void> | null = null;
  let planned: { readonly at: Milliseconds; readonly cancel: () => void } | null = null;
  /** An urgent portion came while a round was under way. */
  let isUrgent = false;
  let notBefore = 0;
  /** Heard of, and perhaps looked at again. */
  const watched = new Set<Portion>();

  async function tell({ accountId, portions: told }: Batch): Promise<void> {
    const counts = new Map<string, readonly [(typeof told)[number], Told]>();
    for (const portion of told) {
      const one = portion.tell(elapsed());
      if (one) counts.set(portion.digest, [portion, one]);
    }
    if (counts.size === 0) return;
    try {
      const sums = await store.limitCounts.add(
        accountId,
        [...counts.values()].map(([, { count }]) => count),
      );
      const now = elapsed();
      for (const sum of sums) {
        const [portion, one] = counts.get(sum.digest) ?? [];
        if (!portion || !one) continue;
        portion.learn(sum, one, now);
        watched.add(portion);
      }
    } catch (error) {
      for (const portion of told) portions.ask(portion, elapsed());
      throw error;
    }
  }

  /** Asks for those that are to be looked at again. */
  function look(): void {
    for (const portion of watched) {
      const looksAgain = portion.looksAgain(elapsed());
      if (looksAgain) portions.ask(portion, elapsed());
      if (looksAgain !== false) watched.delete(portion);
    }
  }

  async function round(): Promise<void> {
    isUrgent = false;
    look();
    const batches = portions.next();
    const rows = batches.reduce((sum, one) => sum + one.portions.length, 0);
    const outcomes = await Promise.allSettled(batches.map(tell));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    for (const { status } of outcomes) report?.told(status === 'rejected' ? 'failed' : 'stored');
    sayWhether(failed[0]?.reason);
    portions.sweep(elapsed());
    notBefore =
      elapsed() + Math.max(failed.length > 0 ? failureMilliseconds : urgentMilliseconds, rows * millisecondsOfRow);
  }

  /** Logged once for each outage. */
  function sayWhether(reason: unknown): void {
    if (reason !== undefined && !fails) {
      log.warn('limits not shared', { reason: reasonOf(reason) });
    }
    if (reason === undefined && fails) log.info('limits shared again');
    fails = reason !== undefined;
  }

  function run(): Promise<void> {
    planned?.cancel();
    planned = null;
    running ??= round().finally(() => {
      running = null;
      if (portions.waits || watched.size > 0) plan(isUrgent);
    });
    return running;
  }

  function plan(isUrgent: boolean): void {
    if (!isStarted || running) return;
    const now = elapsed();
    const at = Math.max(notBefore, now + (isUrgent ? urgentMilliseconds : roundMilliseconds));
    if (planned && planned.at <= at) return;
    planned?.cancel();
    planned = { at, cancel: later(at - now, () => void run()) };
  }

  portions.onWaiting = (urgent) => {
    isUrgent ||= urgent;
    plan(urgent);
  };

  return {
    start() {
      isStarted = true;
      if (portions.waits) plan(false);
    },
    async stop() {
      isStarted = false;
      await running;
      await run();
    },
  };
}
