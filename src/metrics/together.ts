/** The metrics of several processes of one service as one page. */

import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import type { NamesOf } from './meters.ts';

/** All metrics of a process at one moment. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Counters and histograms are sums. So are some gauges; of others each process reads the same from the database. */
const gauges: Readonly<Record<string, 'sum' | 'max'>> = {
  gatehouse_password_queue_waiting: 'sum',
  gatehouse_messages_waiting: 'max',
  gatehouse_messages_overdue_seconds: 'max',
  gatehouse_audit_unverified_seconds: 'max',
  gatehouse_signing_keys: 'max',
  gatehouse_database_connections: 'sum',
  gatehouse_expired_rows_overdue_seconds: 'max',
  gatehouse_removals_waiting: 'max',
  gatehouse_removals_oldest_seconds: 'max',
} satisfies Readonly<Record<NamesOf<'gauge'>, 'sum' | 'max'>>;

export function aggregatorOf(gauge: string): 'sum' | 'max' {
  return gauges[gauge] ?? 'sum';
}

export interface Together {
  /** A process has ended: what it counted stays in the sums, which would otherwise fall. */
  ended(last: Snapshot): void;
  page(current: readonly Snapshot[]): Promise<string>;
}

export function createTogether(): Together {
  let past: Snapshot = [];
  return {
    ended(last) {
      const counted = last.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
      // At once, so that no page is between the end of the process and this. The types do not know of the values.
      past = merge([past, counted]).getMetricsAsArray() as Snapshot;
    },
    page: (current) => merge([...current, past]).metrics(),
  };
}

/** What prom-client would average is the delay of event loops: the worst of them is what somebody has to know. */
function merge(snapshots: readonly Snapshot[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate(
    snapshots.map((metrics) =>
      metrics.map((one) => (one.aggregator === 'average' ? { ...one, aggregator: 'max' as const } : one)),
    ),
  );
}
