import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What an operator's Prometheus collects; labels come from the contracts, so their number is bounded. */
export interface Metrics {
  observe(surface: string, operation: string, status: number, seconds: number): void;
  /** The text exposition of everything measured. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'gatehouse_request_seconds',
    help: 'Time from the request line to the end of the answer, by surface, operation and status',
    labelNames: ['surface', 'operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    observe: (surface, operation, status, seconds) => {
      requests.labels(surface, operation, String(status)).observe(seconds);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
