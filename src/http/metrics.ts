import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ClearingReport } from '../domain/clearing.ts';
import type { PurgeReport } from '../domain/expired-rows.ts';

/** Metrics for an operator's Prometheus; labels come from the contracts, so their number is bounded. */
export interface Metrics {
  observe(surface: string, operation: string, status: number, seconds: number): void;
  /** A request for authorization cannot be used; `reason` is a fixed word, and absent once the sign-in had begun. */
  refused(reason: string | undefined): void;
  /** Progress of housekeeping. */
  readonly purge: PurgeReport;
  readonly removals: ClearingReport;
  /** All metrics in text exposition format. */
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
  const refused = new Counter({
    name: 'gatehouse_refused_authorizations_total',
    help: 'Authorization requests without a usable client or redirect URI, by reason; sign_in_ended for later ones',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    refused: (reason = 'sign_in_ended') => refused.inc({ reason }),
    observe: (surface, operation, status, seconds) => {
      requests.labels(surface, operation, String(status)).observe(seconds);
    },
    purge: purgeMetrics(registry),
    removals: removalMetrics(registry),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function purgeMetrics(registry: Registry): PurgeReport {
  const deleted = new Counter({
    name: 'gatehouse_expired_rows_deleted_total',
    help: 'Rows that housekeeping deleted, by table',
    labelNames: ['table'],
    registers: [registry],
  });
  const overdue = new Gauge({
    name: 'gatehouse_expired_rows_overdue_seconds',
    help: 'How long ago the oldest row of a table should have been deleted; 0 when none should',
    labelNames: ['table'],
    registers: [registry],
  });
  return {
    deleted: (table, rows) => deleted.inc({ table }, rows),
    overdue: (table, milliseconds) => overdue.set({ table }, milliseconds / 1000),
  };
}

function removalMetrics(registry: Registry): ClearingReport {
  const cleared = new Counter({
    name: 'gatehouse_removed_rows_cleared_total',
    help: 'Rows that hung on something removed and were cleared, by what was removed',
    labelNames: ['kind'],
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'gatehouse_removals_waiting',
    help: 'Removals that have rows left to clear',
    registers: [registry],
  });
  const oldest = new Gauge({
    name: 'gatehouse_removals_oldest_seconds',
    help: 'How long ago the oldest of the removals that have rows left began; 0 when there is none',
    registers: [registry],
  });
  return {
    cleared: (kind, rows) => cleared.inc({ kind }, rows),
    waiting: (count, milliseconds) => {
      waiting.set(count);
      oldest.set(milliseconds / 1000);
    },
  };
}
