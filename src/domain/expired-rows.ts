/** Deletes rows as fast as they expire, and reports how far behind it is. */

import type { Services } from '../services.ts';
import {
  expiringTables,
  type Position,
  type PurgedTable,
  type Slice,
  type SweptTable,
  sweptTables,
} from '../store/purge.ts';
import type { Milliseconds } from '../store/time.ts';
import { stackOf } from './describe.ts';
import { hour, minute } from './durations.ts';
import { type Pacing, paced } from './paced.ts';

/** Rows per slice: at its slowest pace, with 50 ms of rest, some eight thousand rows a second. */
const rowsAtOnce = 500;
/** The pause between two rounds. */
const pauseMilliseconds = 5_000;
/** The share of time that slices may take: deleting a row costs far less than a twentieth of making it. */
const share = 0.05;
/** The pause after a failed round: an outage of the database is not logged every few seconds. */
const failurePauseMilliseconds = minute;
/**
 * The interval at which tables without an index on their expiry are swept, and rows that slices have skipped are looked
 * for.
 */
const sweepMilliseconds = hour;
/**
 * A warning is logged when a table is behind by more than this; it has caught up when it is behind by less than a
 * minute.
 */
const mostBehindMilliseconds = 10 * minute;

/** Receives progress, table by table. */
export interface PurgeReport {
  deleted(table: PurgedTable, rows: number): void;
  /** How long ago the oldest row should have been deleted; 0 if there is none. */
  overdue(table: PurgedTable, milliseconds: Milliseconds): void;
}

export interface PurgeOptions extends Omit<Pacing, 'share'> {
  /** Null while the clock is not trusted. */
  readonly trustedNow: () => Milliseconds | null;
  readonly report: PurgeReport;
}

/** Works until `signal` is aborted. Failures are logged. */
export async function purgeContinually(
  { store, log }: Pick<Services, 'store' | 'log'>,
  { trustedNow, report, ...pacing }: PurgeOptions,
): Promise<void> {
  const { monotonic, rest, signal } = pacing;
  const reached = new Map<PurgedTable, Position>();
  const behind = new Set<PurgedTable>();
  const sweepDueAt = new Map<SweptTable, Milliseconds>(sweptTables.map((table) => [table, monotonic()]));
  // Every table is reported from the start, so that a rate can be computed.
  for (const table of [...expiringTables, ...sweptTables]) {
    report.deleted(table, 0);
    report.overdue(table, 0);
  }
  let startsOverAt = monotonic() + sweepMilliseconds;
  let toldAt = monotonic();
  let untold = 0;

  /** One round: slices of all tables in turn until no expired rows are left. */
  async function purgeOnce(): Promise<boolean> {
    const now = trustedNow();
    if (now === null) return true;
    if (monotonic() >= startsOverAt) {
      startsOverAt = monotonic() + sweepMilliseconds;
      for (const table of expiringTables) reached.delete(table);
    }
    const overdue = await store.findOverdue(now, reached);
    for (const table of expiringTables) note(table, now - (overdue.get(table) ?? now));
    const dueSweeps = sweptTables.filter((table) => monotonic() >= dueAt(table));
    const waiting: PurgedTable[] = [...overdue.keys(), ...dueSweeps];
    let succeeded = true;
    await paced(
      async () => {
        const table = waiting.shift();
        if (table === undefined) return false;
        // Read before each slice: the clock may jump at any time.
        const at = trustedNow();
        if (at === null) return false;
        try {
          const slice = await store.purge({ table, now: at, from: reached.get(table) ?? null, limit: rowsAtOnce });
          if (!slice.isLast) waiting.push(table);
          noteSlice(table, slice, at);
        } catch (error) {
          // The other tables do not wait for this one.
          fail(error, table);
          succeeded = false;
        }
        return waiting.length > 0;
      },
      { ...pacing, share },
    );
    return succeeded;
  }

  function dueAt(table: SweptTable): Milliseconds {
    return sweepDueAt.get(table) ?? 0;
  }

  function isSwept(table: PurgedTable): table is SweptTable {
    return sweepDueAt.has(table as SweptTable);
  }

  function noteSlice(table: PurgedTable, slice: Slice, now: Milliseconds): void {
    report.deleted(table, slice.deleted);
    untold += slice.deleted;
    if (isSwept(table)) {
      const late = monotonic() - dueAt(table);
      if (slice.isLast) sweepDueAt.set(table, monotonic() + sweepMilliseconds);
      note(table, slice.isLast ? 0 : late);
    } else note(table, slice.isLast ? 0 : now - (slice.overdueSince ?? now));
    if (slice.reached === null || (isSwept(table) && slice.isLast)) reached.delete(table);
    else reached.set(table, slice.reached);
    if (monotonic() - toldAt >= minute) tell();
  }

  function note(table: PurgedTable, milliseconds: Milliseconds): void {
    report.overdue(table, milliseconds);
    if (milliseconds > mostBehindMilliseconds && !behind.has(table)) {
      behind.add(table);
      log.warn('housekeeping is behind', { table, milliseconds });
    }
    if (milliseconds < minute && behind.delete(table)) log.info('housekeeping has caught up', { table });
  }

  function tell(): void {
    toldAt = monotonic();
    if (untold > 0) log.info('expired rows deleted', { count: untold });
    untold = 0;
  }

  function fail(error: unknown, table?: PurgedTable): void {
    const stack = stackOf(error);
    log.error('housekeeping failed', { ...(table && { table }), stack });
  }

  while (!signal.aborted) {
    const succeeded = await purgeOnce().catch((error: unknown) => {
      fail(error);
      return false;
    });
    if (monotonic() - toldAt >= minute) tell();
    if (!signal.aborted) await rest(succeeded ? pauseMilliseconds : failurePauseMilliseconds);
  }
  tell();
}
