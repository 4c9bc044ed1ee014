/** What the model says, as tables of Markdown (docs/scale.md). */

import { errorOf, type Fitted, fitModel, type Measurements, machineOf, run } from './fit.ts';
import type { Machine, Outcome } from './model.ts';
import { type Capacity, needsOf, recoverySeconds } from './world.ts';

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const percent = (value: number) => `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(1)} %`;

/** What was measured, and what the model says of the same; it is made from the rows of one process alone and of two. */
export function comparisonReport(measurements: Measurements): string {
  const fitted = fitModel(measurements);
  const rows = measurements.rows.map((row) => {
    const { perSecond, batchSize, used } = run(fitted, machineOf(measurements, row, fitted.change));
    return [
      row.processes === 0 ? 'one process, alone' : `\`--processes ${row.processes}\``,
      String(row.connections),
      whole(row.perSecond),
      whole(perSecond),
      signed(errorOf(measurements, fitted, row)),
      batchSize.toFixed(1),
      `${row.loop} and ${whole(used.loop)}`,
      `${row.database} and ${whole(used.database)}`,
    ];
  });
  const head = ['', 'connections', 'measured /s', 'model /s', 'error', 'in a batch', 'event loop µs', 'database µs'];
  return `${measurements.machine.join('\n')}\n${costsText(fitted)}\n\n${tableOf(head, rows)}`;
}

function costsText({ costs, change, crowding }: Fitted): string {
  const { loop, loopBatch, signature, database, databaseBatch, client } = costs;
  return (
    `µs of the processor: event loop ${whole(loop)} a refresh and ${whole(loopBatch)} a batch; database ` +
    `${whole(database)} and ${whole(databaseBatch)}; signature ${whole(signature)}; client ${whole(client)}; ` +
    `change of threads ${change}; several processes: event loop × ${crowding.loop.toFixed(2)}, signature × ` +
    `${crowding.signature.toFixed(2)}`
  );
}

/** Between machines in one zone, µs one way. */
const network = 150;
const connectionsOfEach = 32;

function separate(measurements: Measurements, { change }: Fitted, cores: number, more: Partial<Machine> = {}): Machine {
  const row = { processes: cores, connections: cores * connectionsOfEach };
  const base = machineOf(measurements, row, change);
  return { ...base, cores, databaseCores: cores, clientsShareCores: false, network, ...more };
}

/** Larger machines, standbys farther away, and many machines. */
export function predictionReport(measurements: Measurements): string {
  const fitted = fitModel(measurements);
  const runOn = (cores: number, more: Partial<Machine> = {}) =>
    run(fitted, separate(measurements, fitted, cores, more), 600);
  return [machines(runOn), standbys(runOn, measurements), demands(runOn(16), measurements), recoveries()].join('\n\n');
}

type Run = (cores: number, more?: Partial<Machine>) => Outcome;

/** The service and the database on a machine each, with as many cores. */
function machines(run: Run): string {
  const rows = [4, 16, 64].map((cores) => {
    const { perSecond, p99Milliseconds, batchSize, databaseBusy, used } = run(cores);
    return [
      String(cores),
      whole(perSecond),
      p99Milliseconds.toFixed(1),
      batchSize.toFixed(1),
      percent(databaseBusy),
      whole((cores * 1e6) / used.database),
    ];
  });
  const head = ['cores', 'refreshes/s', 'p99 ms', 'in a batch', 'database busy', 'ceiling of the database /s'];
  return tableOf(head, rows);
}

/** A commit waits for a standby, once there and back. */
function standbys(run: Run, { flush }: Measurements): string {
  const places = [
    ['none', 0],
    ['in the zone', 300],
    ['in the region', 1_500],
    ['in another region', 30_000],
  ] as const;
  const rows = places.map(([place, trip]) => {
    const { perSecond, p99Milliseconds, batchSize } = run(16, { flush: flush + trip });
    return [place, (trip / 1_000).toFixed(1), whole(perSecond), p99Milliseconds.toFixed(1), batchSize.toFixed(1)];
  });
  return tableOf(['standby', 'there and back, ms', 'refreshes/s', 'p99 ms', 'in a batch'], rows);
}

const demanded = [10_000, 100_000, 1_000_000] as const;
/** A disk of a cloud provider writes so much, and a standby is sent as much. */
const logBytesPerSecond = 500e6;

function capacityFrom({ used }: Outcome, logBytes: number, cores: number): Capacity {
  return {
    serviceMicroseconds: used.all - used.database,
    databaseMicroseconds: used.database,
    logBytes,
    cores,
    logBytesPerSecond,
    share: 0.6,
  };
}

/** What a machine for the service does, and one for the database, each with so many cores. */
export function capacityOf(measurements: Measurements, fitted: Fitted, cores: number): Capacity {
  const outcome = run(fitted, separate(measurements, fitted, cores), 600);
  return capacityFrom(outcome, measurements.logBytes, cores);
}

function demands(outcome: Outcome, { logBytes }: Measurements): string {
  const capacity = capacityFrom(outcome, logBytes, 16);
  const rows = demanded.flatMap((perSecond) =>
    [0.8, 1.1].map((exponent) => {
      const needs = needsOf({ perSecond, accounts: 10_000, exponent }, capacity);
      return [
        whole(perSecond),
        String(exponent),
        percent(needs.largestAccount),
        String(needs.nodes),
        needs.databases === null ? 'not enough with 64' : String(needs.databases),
        percent(needs.largestDatabase),
        needs.first,
      ];
    }),
  );
  const head = ['refreshes/s', 'exponent', 'largest account', 'nodes', 'databases', 'largest database', 'full first'];
  return tableOf(head, rows);
}

function recoveries(): string {
  const rows = [5, 20, 60].map((outage) => [
    String(outage),
    ...[0.3, 0.6, 0.9].map((used) => whole(recoverySeconds(outage, used))),
  ]);
  return tableOf(['outage, s', '30 % used', '60 % used', '90 % used'], rows);
}
