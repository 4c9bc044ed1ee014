/** The metrics of several processes of one service as one page. */

import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** All metrics of a process at one moment. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Together {
  /** A process has ended: what it counted stays in the sums, which would otherwise fall. */
  ended(last: Snapshot): Promise<void>;
  /** Counters and histograms are sums; the catalogue says what becomes of a gauge. */
  page(current: readonly Snapshot[]): Promise<string>;
}

export function createTogether(): Together {
  let past: Snapshot = [];
  return {
    async ended(last) {
      // Types of prom-client are numbers that its JSON has as words.
      const counted = last.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
      past = await merge([past, counted]).getMetricsAsJSON();
    },
    page: (current) => merge([...current, past]).metrics(),
  };
}

function merge(snapshots: readonly Snapshot[]): Registry<PrometheusContentType> {
  return AggregatorRegistry.aggregate([...snapshots]);
}
