/**
 * What a refresh costs with several processes, by part, in processor time: that does not depend on how many cores the
 * load, the database, and the processes share. And what a second process on SQLite gains.
 */

import { readFileSync } from 'node:fs';
import { serverVariable, startPostgres } from '../support/postgres.ts';
import { type Bench, type Contestant, contestant } from './bench.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { makeDurable } from './measure-postgres.ts';
import { processorTime, threadTimes } from './processor-time.ts';
import { median } from './series.ts';
import type { Server } from './servers.ts';
import type { Target } from './target.ts';

/** Processes below a supervisor; 0: one without. */
const counts = [0, 1, 2, 4] as const;

type Part = 'supervisor' | 'event loop' | 'other threads' | 'database';
type Times = Readonly<Record<Part, number>>;

interface Measured {
  readonly label: string;
  readonly perSecond: number;
  readonly p99Milliseconds: number;
  /** µs of the processor for each refresh. */
  readonly times: Times;
  readonly errors: number;
}

/** Returns the tables. */
export async function measureScale(bench: Bench): Promise<string> {
  return `${tableOf(await onPostgres(bench))}\n\n${tableOf(await onSqlite(bench))}`;
}

async function onPostgres(bench: Bench): Promise<Measured[]> {
  bench.log('starting PostgreSQL');
  const postgres = startPostgres();
  process.env[serverVariable] = postgres.url;
  const { pid } = await makeDurable();
  const prepared = await prepareGatehouse('PostgreSQL', 'postgres', bench.plan.users);
  const servers: Server[] = [];
  try {
    for (const count of counts) servers.push(await prepared.serve(count === 0 ? {} : { supervised: count }));
    return await measure(
      bench,
      servers.map((server, index) => {
        const count = counts[index] ?? 0;
        const label = count === 0 ? 'one process, alone' : `--processes ${count}`;
        return { ...partOf(contestant(server, 'refresh', label), index, servers.length), supervised: count > 0, pid };
      }),
    );
  } finally {
    for (const server of servers) await server.stop();
    await prepared.dispose();
    await postgres.stop();
    delete process.env[serverVariable];
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
    const one: Target = { ...both.target, name: 'SQLite, one', ports: [port], pids: [first] };
    return await measure(bench, [
      { ...partOf({ label: 'SQLite, one process', target: one }, 0, 2), supervised: false, pid: null },
      { ...partOf(both, 1, 2), supervised: false, pid: null },
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
  readonly supervised: boolean;
  /** Of the database's first process. */
  readonly pid: number | null;
}

async function measure(bench: Bench, all: readonly Measurable[]): Promise<Measured[]> {
  const rounds = { rounds: 1, milliseconds: bench.plan.other.milliseconds };
  // So that its code is compiled before anything is counted.
  for (const one of all) await bench.alternate(rounds, [one]);
  const found = new Map<string, { perSecond: number[]; p99: number[]; times: Times[]; errors: number }>();
  for (let round = 0; round < bench.plan.other.rounds; round += 1) {
    for (const one of all) {
      const before = timesOf(one);
      const [series] = await bench.alternate(rounds, [one]);
      const after = timesOf(one);
      const [measurement] = series?.measurements ?? [];
      if (!series || !measurement) throw new Error('nothing was measured');
      // What the warm-up before it answered costs as much as what is counted.
      const answered = (measurement.perSecond * (rounds.milliseconds + bench.plan.warmUpMilliseconds)) / 1000;
      const entry = found.get(one.label) ?? { perSecond: [], p99: [], times: [], errors: 0 };
      entry.perSecond.push(measurement.perSecond);
      entry.p99.push(measurement.p99Milliseconds);
      entry.times.push(mapTimes((part) => (after[part] - before[part]) / answered));
      entry.errors += series.errors;
      found.set(one.label, entry);
    }
  }
  return [...found].map(([label, { perSecond, p99, times, errors }]) => ({
    label,
    perSecond: median(perSecond),
    p99Milliseconds: median(p99),
    times: mapTimes((part) => median(times.map((one) => one[part]))),
    errors,
  }));
}

const parts = ['supervisor', 'event loop', 'other threads', 'database'] as const;

function mapTimes(timeOf: (part: Part) => number): Times {
  return Object.fromEntries(parts.map((part) => [part, timeOf(part)])) as Record<Part, number>;
}

/** µs since the processes began. */
function timesOf({ target, supervised, pid }: Measurable): Times {
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

function totalOf(times: Map<string, number>): number {
  return [...times.values()].reduce((sum, one) => sum + one, 0);
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function tableOf(measured: readonly Measured[]): string {
  const head = ['', 'refreshes/s', 'p99 ms', ...parts.map((part) => `${part} µs`), 'all µs', 'errors'];
  const rows = measured.map(({ label, perSecond, p99Milliseconds, times, errors }) => [
    label,
    String(Math.round(perSecond)),
    p99Milliseconds.toFixed(1),
    ...parts.map((part) => String(Math.round(times[part]))),
    String(Math.round(parts.reduce((sum, part) => sum + times[part], 0))),
    String(errors),
  ]);
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
