/**
 * The model's costs from what was measured of one process alone, with few and with many connections, and of two. More
 * are predicted.
 */

import { type Costs, type Machine, type Outcome, simulate } from './model.ts';

/** µs of the processor for each refresh, and answers, as measured. */
export interface Row {
  /** Processes below a supervisor; 0: one process alone. */
  readonly processes: number;
  readonly connections: number;
  readonly perSecond: number;
  readonly loop: number;
  /** Of all threads but the event loop. */
  readonly threads: number;
  readonly database: number;
  readonly client: number;
  /** Refreshes in a batch, on average. */
  readonly batchSize: number;
}

/** What was measured on a machine, from which everything else is calculated. */
export interface Measurements {
  readonly machine: readonly string[];
  readonly cores: number;
  /** How long a page takes to the disk, µs. */
  readonly flush: number;
  /** What a refresh writes to the log of the database, one process alone. */
  readonly logBytes: number;
  readonly rows: readonly Row[];
}

export interface Fitted {
  readonly costs: Costs;
  /** What a change of threads on a core costs, µs. */
  readonly change: number;
  /**
   * How many times as much the event loop and a signature take where there are several processes: each has code and
   * data of its own, and the caches of a core hold those of the other one.
   */
  readonly crowding: { readonly loop: number; readonly signature: number };
}

/** How long a thread keeps a core while others wait, µs: near Linux's `base_slice_ns` on two cores, 1.4 ms. */
const slice = 1_000;
/** Costs of a change of threads that are tried: from none to the filling of a core's own cache. */
const changes = [0, 20, 40, 60, 80, 100] as const;
/** What a read by key costs, µs: an assumption, since it cannot be told from the rest of a refresh. */
const read = 200;
const rounds = 4;

export function machineOf(
  { cores, flush }: Pick<Measurements, 'cores' | 'flush'>,
  row: Pick<Row, 'processes' | 'connections'>,
  change: number,
): Machine {
  return {
    processes: Math.max(1, row.processes),
    cores,
    databaseCores: null,
    clientsShareCores: true,
    connections: row.connections,
    network: 30,
    flush,
    slice,
    change,
  };
}

/** Least squares of `y = a + b x`, neither below zero. */
export function line(points: readonly (readonly [x: number, y: number])[]): { a: number; b: number } {
  const meanOf = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [meanOf((point) => point[0]), meanOf((point) => point[1])];
  const spread = meanOf((point) => (point[0] - x) ** 2);
  const b = spread === 0 ? 0 : Math.max(0, meanOf((point) => (point[0] - x) * (point[1] - y)) / spread);
  const a = y - b * x;
  if (a >= 0) return { a, b };
  // Through the origin.
  return { a: 0, b: meanOf((point) => point[0] * point[1]) / meanOf((point) => point[0] ** 2) };
}

/**
 * Costs of a request and of a batch, from rows whose batches have different sizes. What the model uses besides, for
 * reads and for changes of threads, is in what was measured; costs are corrected by the difference until both agree.
 */
function fitCosts(measurements: Measurements, alone: readonly Row[], change: number): Costs {
  const mean = (of: (row: Row, index: number) => number) =>
    alone.reduce((sum, row, index) => sum + of(row, index), 0) / alone.length;
  const lineOf = (of: (row: Row, index: number) => number) =>
    line(alone.map((row, index) => [1 / row.batchSize, of(row, index)]));
  const loop = lineOf((row) => row.loop);
  const database = lineOf((row) => row.database);
  let costs: Costs = {
    signature: mean((row) => row.threads),
    client: mean((row) => row.client),
    loop: loop.a,
    loopBatch: loop.b,
    loopRead: read,
    database: database.a,
    databaseBatch: database.b,
    databaseRead: read,
  };
  for (let round = 0; round < rounds; round += 1) {
    const used = alone.map((row) => simulate(costs, machineOf(measurements, row, change)).used);
    const ofModel = (part: 'loop' | 'database') => lineOf((_row, index) => used[index]?.[part] ?? 0);
    const [ofLoop, ofDatabase] = [ofModel('loop'), ofModel('database')];
    costs = {
      ...costs,
      loop: Math.max(0, costs.loop + loop.a - ofLoop.a),
      loopBatch: Math.max(0, costs.loopBatch + loop.b - ofLoop.b),
      database: Math.max(0, costs.database + database.a - ofDatabase.a),
      databaseBatch: Math.max(0, costs.databaseBatch + database.b - ofDatabase.b),
    };
  }
  return costs;
}

/** What the model says of a machine, by its costs there. */
export function run({ costs, crowding }: Fitted, machine: Machine, milliseconds?: number): Outcome {
  if (machine.processes < 2) return simulate(costs, machine, milliseconds);
  const crowded = {
    ...costs,
    loop: costs.loop * crowding.loop,
    loopBatch: costs.loopBatch * crowding.loop,
    loopRead: costs.loopRead * crowding.loop,
    signature: costs.signature * crowding.signature,
  };
  return simulate(crowded, machine, milliseconds);
}

/** The model's rate for a row, as a share of what was measured: 0 is right, 0.1 a tenth too many. */
export function errorOf(measurements: Measurements, fitted: Fitted, row: Row): number {
  return run(fitted, machineOf(measurements, row, fitted.change)).perSecond / row.perSecond - 1;
}

/** What two processes took, as measured, compared with what one takes for batches of that size. */
function crowdingOf(alone: readonly Row[], two: Row | undefined): Fitted['crowding'] {
  if (!two) throw new Error('two processes have to be measured');
  const { a, b } = line(alone.map(({ batchSize, loop }) => [1 / batchSize, loop]));
  const signature = alone.reduce((sum, { threads }) => sum + threads, 0) / alone.length;
  return {
    loop: Math.max(1, two.loop / (a + b / two.batchSize)),
    signature: Math.max(1, two.threads / signature),
  };
}

/** It is simulated some hundred times to be fitted. */
const known = new WeakMap<Measurements, Fitted>();

export function fitModel(measurements: Measurements): Fitted {
  const fitted = known.get(measurements) ?? makeFitted(measurements);
  known.set(measurements, fitted);
  return fitted;
}

function makeFitted(measurements: Measurements): Fitted {
  const alone = measurements.rows.filter(({ processes }) => processes === 0);
  if (alone.length < 2) throw new Error('one process alone has to be measured with two numbers of connections');
  const crowding = crowdingOf(
    alone,
    measurements.rows.find(({ processes }) => processes === 2),
  );
  const tried = changes.map((change) => ({ costs: fitCosts(measurements, alone, change), change, crowding }));
  const squares = tried.map((one) => alone.reduce((sum, row) => sum + errorOf(measurements, one, row) ** 2, 0));
  const best = tried[squares.indexOf(Math.min(...squares))];
  if (!best) throw new Error('nothing was fitted');
  return best;
}
