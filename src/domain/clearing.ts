/**
 * Deletes or revokes in slices too short to be noticed what depends on removed users, apps, roles, custom attributes,
 * APIs, access and links.
 */

import type { Services } from '../services.ts';
import { type RemovalKind, removalKinds } from '../store/removals.ts';
import type { Milliseconds } from '../store/time.ts';
import { stackOf } from './describe.ts';
import { minute, second } from './durations.ts';
import { paced, restUnlessAborted } from './paced.ts';

/** The share of time that slices may take: others hardly notice them, and a removal of 400,000 rows ends in a minute. */
const share = 1 / 3;
/** How long a slice should take: nothing else runs meanwhile on SQLite. */
const sliceMilliseconds = 8;
/** Rows of the first slice; each one has as many, half or twice as many as the one before. */
const rowsAtFirst = 100;
const fewestRows = 25;
const mostRows = 800;
/** The longest time until it finds what another process removed, or left unfinished. */
const pauseMilliseconds = minute;
/** After this many failed removals in one round it pauses, as it does when nothing can be read. */
const mostFailures = 100;

/** Receives progress. */
export interface ClearingReport {
  cleared(kind: RemovalKind, rows: number): void;
  /** The number of removals with rows left, and the age of the oldest; 0 when there is none. */
  waiting(count: number, milliseconds: Milliseconds): void;
}

export interface ClearingOptions {
  readonly report: ClearingReport;
  /** Monotonic milliseconds. */
  readonly monotonic?: () => Milliseconds;
  /** Waits; returns at once when `signal` is aborted. */
  readonly rest?: (milliseconds: Milliseconds, signal: AbortSignal) => Promise<void>;
}

export interface Clearing {
  /** Looks for work at once. */
  wake(): void;
  /** Begins no further slice; settles when the running one has ended. The next start continues from there. */
  stop(): Promise<void>;
}

/** Rows of the slice after one of so many rows that took this long. Few sizes, since a statement is prepared for each. */
export function nextRows(rows: number, milliseconds: Milliseconds): number {
  if (milliseconds > sliceMilliseconds) return Math.max(fewestRows, rows / 2);
  return milliseconds < sliceMilliseconds / 3 ? Math.min(mostRows, rows * 2) : rows;
}

/** Works until it is stopped; accounts take turns. Failures are logged and do not delay others. */
export function startClearing(
  { store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>,
  { report, monotonic = () => performance.now(), rest = restUnlessAborted }: ClearingOptions,
): Clearing {
  const stopping = new AbortController();
  const { signal } = stopping;
  let woken = new AbortController();
  let toldAt = Number.NEGATIVE_INFINITY;
  let lastAccount = 0;
  let rowsAtOnce = rowsAtFirst;

  // Every kind is reported from the start, so that a rate can be computed.
  for (const kind of removalKinds) report.cleared(kind, 0);

  async function tell(): Promise<void> {
    toldAt = monotonic();
    const { count, since } = await store.findWaitingRemovals();
    report.waiting(count, since === null ? 0 : Math.max(0, clock.now() - since));
  }

  function logFailure(error: unknown, removalId?: number): void {
    const stack = stackOf(error);
    log.error('clearing what was removed failed', { ...(removalId !== undefined && { removalId }), stack });
  }

  /** Returns whether to continue; `failed` wait until the next round. */
  async function clearNext(failed: number[]): Promise<boolean> {
    const startedAt = monotonic();
    const slice = await store.clearRemoved(rowsAtOnce, { after: lastAccount, except: failed });
    if (slice) lastAccount = slice.accountId;
    const took = monotonic() - startedAt;
    // A short slice of fewer rows than asked for says nothing about more.
    if (took > sliceMilliseconds || (slice && 'rows' in slice && slice.rows >= rowsAtOnce)) {
      rowsAtOnce = nextRows(rowsAtOnce, took);
    }
    if (slice && 'error' in slice) {
      failed.push(slice.removalId);
      logFailure(slice.error, slice.removalId);
      return failed.length < mostFailures;
    }
    if (slice) report.cleared(slice.kind, slice.rows);
    if (!slice || slice.isLast || monotonic() - toldAt >= second) await tell();
    return slice !== null;
  }

  async function work(): Promise<void> {
    while (!signal.aborted) {
      woken = new AbortController();
      try {
        const failed: number[] = [];
        const pacing = { share, monotonic, rest: (milliseconds: Milliseconds) => rest(milliseconds, signal), signal };
        await paced(() => clearNext(failed), pacing);
      } catch (error) {
        logFailure(error);
      }
      if (!signal.aborted) await rest(pauseMilliseconds, AbortSignal.any([signal, woken.signal]));
    }
  }

  const working = work();
  return {
    wake: () => woken.abort(),
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
