/** The metrics of a process, for an operator's Prometheus. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { catalogue } from './catalogue.ts';
import type { LabelValues, Meter, Meters } from './meters.ts';
import { aggregatorOf, type Snapshot } from './together.ts';

export interface Metrics extends Meters {
  /** All metrics in text exposition format. */
  text(): Promise<string>;
  readonly contentType: string;
  /** The same, for a page of several processes. */
  snapshot(): Promise<Snapshot>;
}

type Labels = Readonly<Record<string, string>>;

/** All metrics of the catalogue, and those of the process. What has closed labels is there from the start, with 0. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  const beforeReading: (() => void)[] = [];

  for (const [name, meter] of Object.entries<Meter>(catalogue)) {
    const { type, labels, meaning, buckets = [] } = meter;
    const labelNames = Object.keys(labels);
    const options = { name, help: meaning, labelNames, registers: [registry] };
    switch (type) {
      case 'counter': {
        const counter = new Counter(options);
        for (const set of labelSetsOf(labels)) counter.inc(set, 0);
        counters.set(name, counter);
        break;
      }
      case 'gauge': {
        const gauge = new Gauge({ ...options, aggregator: aggregatorOf(name) });
        for (const set of labelSetsOf(labels)) gauge.set(set, 0);
        gauges.set(name, gauge);
        break;
      }
      case 'histogram': {
        const histogram = new Histogram({ ...options, buckets: [...buckets] });
        for (const set of labelSetsOf(labels)) histogram.zero(set);
        histograms.set(name, histogram);
        break;
      }
    }
  }

  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels as Labels, by),
    set: (name, labels, value) => gauges.get(name)?.set(labels as Labels, value),
    change: (name, labels, by) => gauges.get(name)?.inc(labels as Labels, by),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels as Labels, value),
    beforeReading: (set) => void beforeReading.push(set),
    text: () => {
      for (const set of beforeReading) set();
      return registry.metrics();
    },
    contentType: registry.contentType,
    snapshot: () => {
      for (const set of beforeReading) set();
      return registry.getMetricsAsJSON();
    },
  };
}

/** Every combination of the values, so that a rate can be computed from the first event on; none where one is told. */
function labelSetsOf(labels: Readonly<Record<string, LabelValues>>): readonly Labels[] {
  let sets: readonly Labels[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if ('told' in values) return [];
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })));
  }
  return sets;
}
