/**
 * What a refresh costs with several processes, by part, in processor time: that does not depend on how many cores the
 * load, the database, and the processes share. And what a second process on SQLite gains.
 */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import pg from 'pg';
import { postgresUrl, serverVariable, startPostgres } from '../support/postgres.ts';
import { type Bench, type Contestant, contestant } from './bench.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { describeMachine, flushMilliseconds } from './machine.ts';
import { makeDurable } from './measure-postgres.ts';
import { processorTime, threadTimes } from './processor-time.ts';
import type { Measurements, Row } from './scale/fit.ts';
import { median } from './series.ts';
import type { Server } from './servers.ts';
import type { Target } from './target.ts';

/** Processes below a supervisor; 0: one without. */
const counts = [0, 1, 2, 4] as const;
/** Of one process alone, so that the costs of a batch can be told from those of a request. */
const fewConnections = [4, 12] as const;

/** The number of batches is asked for by it. */
const metricsToken = 'metrics-of-the-benchmark';

type Part = 'supervisor' | 'event loop' | 'other threads' | 'database';
type Times = Readonly<Record<Part, number>>;

interface Measured {
  readonly label: string;
  readonly processes: number;
  readonly connections: number;
  readonly perSecond: number;
  readonly p99Milliseconds: number;
  /** µs of the processor for each refresh. */
  readonly times: Times;
  /** µs of the generator for each refresh. */
  readonly client: number;
  /** Refreshes in a batch, on average. */
  readonly batchSize: number;
  readonly errors: number;
}

/** Returns the tables, and what the model takes from them. */
export async function measureScale(bench: Bench): Promise<{ tables: string; measurements: Measurements }> {
  const flush = flushMilliseconds(bench.folder) * 1_000;
  const { measured: postgres, logBytes } = await onPostgres(bench);
  const sqlite = await onSqlite(bench);
  const rows = postgres.map(
    ({ processes, connections, perSecond, times, client, batchSize }): Row => ({
      processes,
      connections,
      perSecond: Math.round(perSecond),
      loop: Math.round(times['event loop']),
      threads: Math.round(times['other threads']),
      database: Math.round(times.database),
      client: Math.round(client),
      batchSize: Number(batchSize.toFixed(2)),
    }),
  );
  return {
    tables: `${tableOf(postgres)}\n\n${tableOf(sqlite)}`,
    measurements: {
      machine: describeMachine(bench.folder),
      cores: availableParallelism(),
      flush: Math.round(flush),
      logBytes: Math.round(logBytes),
      rows,
    },
  };
}

async function onPostgres(bench: Bench): Promise<{ measured: Measured[]; logBytes: number }> {
  bench.log('starting PostgreSQL');
  const postgres = startPostgres();
  process.env[serverVariable] = postgres.url;
  const { pid } = await makeDurable();
  const prepared = await prepareGatehouse('PostgreSQL', 'postgres', bench.plan.users);
  const servers: Server[] = [];
  try {
    for (const count of counts) {
      servers.push(
        await prepared.serve({ envs: [{ METRICS_TOKEN: metricsToken }], ...(count > 0 && { supervised: count }) }),
      );
    }
    const all = servers.map((server, index): Measurable => {
      const processes = counts[index] ?? 0;
      const label = processes === 0 ? 'one process, alone' : `--processes ${processes}`;
      const part = partOf(contestant(server, 'refresh', label), index, servers.length);
      return { ...part, processes, connections: bench.plan.connections, pid };
    });
    const [alone, ...supervised] = all;
    if (!alone) throw new Error('no server runs');
    const levels = [bench.plan.connections, ...fewConnections];
    const ofAlone = levels.map((connections, index): Measurable => {
      const label = `${alone.label}, ${connections} connections`;
      return { ...alone, ...partOf({ ...alone, label }, index, levels.length), connections };
    });
    const logBytes = await logBytesOf(bench, ofAlone);
    return { measured: await measure(bench, [...ofAlone, ...supervised]), logBytes };
  } finally {
    for (const server of servers) await server.stop();
    await prepared.dispose();
    await postgres.stop();
    delete process.env[serverVariable];
  }
}

/** What a refresh of the first one writes to the log; the load before it is the warm-up of `bench`. */
async function logBytesOf(bench: Bench, [first]: readonly Measurable[]): Promise<number> {
  if (!first) throw new Error('no server runs');
  const { milliseconds } = bench.plan.other;
  const load = () => bench.alternate({ rounds: 1, milliseconds }, [first]);
  await load();
  const before = await logPosition();
  const [series] = await load();
  const perSecond = series?.measurements[0]?.perSecond ?? Number.NaN;
  return ((await logPosition()) - before) / ((perSecond * (milliseconds + bench.plan.warmUpMilliseconds)) / 1000);
}

async function logPosition(): Promise<number> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    const { rows } = await client.query<{ position: string }>(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as position`,
    );
    return Number(rows[0]?.position);
  } finally {
    await client.end();
  }
}

/** The second process serves the same file, which the service does not offer. */
async function onSqlite(bench: Bench): Promise<Measured[]> {
  const prepared = await prepareGatehouse('SQLite', 'sqlite', bench.plan.users);
  const server = await prepared.serve({ processes: 2 });
  try {
    const both = contestant(server, 'refresh', 'SQLite, two processes');
    const [port = 0] = both.target.ports;
    const [first = 0] = both.target.pids;
    const unsupervised = { processes: 0, connections: bench.plan.connections, pid: null };
    const one: Target = { ...both.target, name: 'SQLite, one', ports: [port], pids: [first] };
    return await measure(bench, [
      { ...partOf({ label: 'SQLite, one process', target: one }, 0, 2), ...unsupervised },
      { ...partOf(both, 1, 2), ...unsupervised },
    ]);
  } finally {
    await server.stop();
    await prepared.dispose();
  }
}

/** Each has chains of its own. */
function partOf({ label, target }: Contestant, index: number, of: number): Contestant {
  const tokens = target.tokens.filter((_, position) => position % of === index);
  return { label, target: { ...target, name: `${target.name} of ${label}`, tokens } };
}

interface Measurable extends Contestant {
  /** Below a supervisor; 0: none. */
  readonly processes: number;
  readonly connections: number;
  /** Of the database's first process. */
  readonly pid: number | null;
}

interface Found {
  readonly perSecond: number[];
  readonly p99: number[];
  readonly times: Times[];
  readonly client: number[];
  readonly batchSizes: number[];
  errors: number;
}

async function measure(bench: Bench, all: readonly Measurable[]): Promise<Measured[]> {
  const { milliseconds } = bench.plan.other;
  const roundOf = ({ connections }: Measurable) => ({ rounds: 1, milliseconds, connections });
  // So that its code is compiled before anything is counted.
  for (const one of all) await bench.alternate(roundOf(one), [one]);
  const found = new Map<Measurable, Found>();
  for (let round = 0; round < bench.plan.other.rounds; round += 1) {
    for (const one of all) {
      const before = timesOf(one);
      const batchesBefore = await batchesOf(one);
      const [series] = await bench.alternate(roundOf(one), [one]);
      const after = timesOf(one);
      const batchesAfter = await batchesOf(one);
      const [measurement] = series?.measurements ?? [];
      if (!series || !measurement) throw new Error('nothing was measured');
      // What the warm-up before it answered costs as much as what is counted.
      const answered = (measurement.perSecond * (milliseconds + bench.plan.warmUpMilliseconds)) / 1000;
      const entry = found.get(one) ?? { perSecond: [], p99: [], times: [], client: [], batchSizes: [], errors: 0 };
      entry.perSecond.push(measurement.perSecond);
      entry.p99.push(measurement.p99Milliseconds);
      entry.times.push(mapTimes((part) => (after[part] - before[part]) / answered));
      entry.batchSizes.push(
        (batchesAfter.items - batchesBefore.items) / (batchesAfter.batches - batchesBefore.batches),
      );
      entry.client.push(measurement.generatorMicroseconds);
      entry.errors += series.errors;
      found.set(one, entry);
    }
  }
  return [...found].map(
    ([{ label, processes, connections }, { perSecond, p99, times, client, batchSizes, errors }]) => ({
      label,
      processes,
      connections,
      perSecond: median(perSecond),
      p99Milliseconds: median(p99),
      times: mapTimes((part) => median(times.map((one) => one[part]))),
      client: median(client),
      batchSize: median(batchSizes),
      errors,
    }),
  );
}

const parts = ['supervisor', 'event loop', 'other threads', 'database'] as const;

function mapTimes(timeOf: (part: Part) => number): Times {
  return Object.fromEntries(parts.map((part) => [part, timeOf(part)])) as Record<Part, number>;
}

/** µs since the processes began. */
function timesOf({ target, processes, pid }: Measurable): Times {
  const supervised = processes > 0;
  const own = target.pids.filter((one) => one !== pid);
  const serving = supervised ? own.flatMap(childrenOf) : own;
  const threads = serving.map((one) => threadTimes(one));
  const sum = (of: (times: Map<string, number>) => number) => threads.reduce((all, times) => all + of(times), 0);
  const main = sum((times) => times.get('main') ?? 0);
  const all = sum((times) => [...times.values()].reduce((one, other) => one + other, 0));
  return {
    supervisor: supervised ? own.reduce((time, one) => time + totalOf(threadTimes(one)), 0) : 0,
    'event loop': main,
    'other threads': all - main,
    database: pid === null ? 0 : (processorTime([pid]) ?? 0),
  };
}

/** How many batches of refreshes there were, and how many refreshes in them, of all processes of the server. */
async function batchesOf({ target, pid }: Measurable): Promise<{ batches: number; items: number }> {
  if (pid === null) return { batches: Number.NaN, items: Number.NaN };
  const answer = await fetch(`http://127.0.0.1:${target.ports[0]}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  });
  const text = await answer.text();
  const sampleOf = (name: string) => {
    const line = new RegExp(`^gatehouse_database_batch_items_${name}\\{[^}]*batch="refresh"[^}]*\\} (\\S+)$`, 'm');
    const value = line.exec(text)?.[1];
    if (value === undefined) throw new Error(`no number of batches in ${answer.status}: ${text.slice(0, 200)}`);
    return Number(value);
  };
  return { batches: sampleOf('count'), items: sampleOf('sum') };
}

function totalOf(times: Map<string, number>): number {
  return [...times.values()].reduce((sum, one) => sum + one, 0);
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function tableOf(measured: readonly Measured[]): string {
  const head = ['', 'refreshes/s', 'p99 ms', 'in a batch', ...parts.map((part) => `${part} µs`), 'all µs', 'errors'];
  const rows = measured.map(({ label, perSecond, p99Milliseconds, batchSize, times, errors }) => [
    label,
    String(Math.round(perSecond)),
    p99Milliseconds.toFixed(1),
    Number.isNaN(batchSize) ? '' : batchSize.toFixed(1),
    ...parts.map((part) => String(Math.round(times[part]))),
    String(Math.round(parts.reduce((sum, part) => sum + times[part], 0))),
    String(errors),
  ]);
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
