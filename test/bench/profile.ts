/** Where the CPU time of one request goes: by thread from the system, and on the main thread by part of the program. */

import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { DatabaseKind } from '../support/stores.ts';
import { type Bench, contestant } from './bench.ts';
import { type CpuProfile, isIdle, partOf, sampleTimes } from './cpu-profile.ts';
import { type Gatehouse, prepareGatehouse } from './gatehouse.ts';
import { makeDurable } from './measure-postgres.ts';
import { threadTimes } from './processor-time.ts';
import type { RequestKind, Target } from './target.ts';

const milliseconds = 6_000;

/** CPU time of a request by thread, in µs, as the server runs without a profiler. */
async function measureThreads(bench: Bench, gatehouse: Gatehouse, kind: RequestKind): Promise<Map<string, number>> {
  const server = await gatehouse.serve();
  const target = halved(contestant(server, kind).target, 'threads', 0);
  // Settles it first; the second load is measured here from outside.
  await bench.alternate({ rounds: 1, milliseconds: 1_000 }, [{ label: 'before the profile', target }]);
  const before = threadTimes(server.pids[0] ?? 0);
  const [series] = await bench.alternate({ rounds: 1, milliseconds }, [{ label: 'by thread', target }]);
  const after = threadTimes(server.pids[0] ?? 0);
  await server.stop();
  // The warm-up of the load counts in both, requests and time.
  const perSecond = series?.measurements[0]?.perSecond ?? Number.NaN;
  const requests = (perSecond * (milliseconds + bench.plan.warmUpMilliseconds)) / 1000;
  return new Map([...after].map(([name, time]) => [name, (time - (before.get(name) ?? 0)) / requests]));
}

/**
 * What the main thread does for a request while it is not idle, by part of the program, in µs; waiting for the disk
 * counts.
 */
async function measureParts(bench: Bench, gatehouse: Gatehouse, kind: RequestKind): Promise<Map<string, number>> {
  const folder = join(gatehouse.installation.folder, 'profile');
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250'];
  const server = await gatehouse.serve({ flags });
  precede(server.pids[0] ?? 0);
  const target = halved(contestant(server, kind).target, 'parts', 1);
  const [series] = await bench.alternate({ rounds: 1, milliseconds }, [{ label: 'by part', target }]);
  // Writes the profile as it ends.
  await server.stop();
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const profile = JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8')) as CpuProfile;
  const { from = 0, to = 0, requests = 0 } = series?.measurements[0] ?? {};
  return new Map([...timesOf(profile, from, to)].map(([name, time]) => [name, time / requests]));
}

/**
 * The profiler samples by the clock, and a thread that wakes another one is often put aside for it: without
 * precedence that time would be charged to whatever wakes a thread. Linux gives it to the main thread alone.
 */
function precede(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Only a privileged user may.
  }
}

function timesOf(profile: CpuProfile, from: number, to: number): Map<string, number> {
  const part = partOf(profile);
  const times = new Map<string, number>();
  for (const { node, at, microseconds } of sampleTimes(profile)) {
    if (at < from || at > to || isIdle(profile, node)) continue;
    const name = part(node);
    times.set(name, (times.get(name) ?? 0) + microseconds);
  }
  return times;
}

/** Each server gets its own chains: the generator would give a new one the old heads. */
function halved(target: Target, name: string, half: 0 | 1): Target {
  const size = Math.floor(target.tokens.length / 2);
  return { ...target, name: `${target.name}, ${name}`, tokens: target.tokens.slice(half * size, (half + 1) * size) };
}

function table(head: string, kind: RequestKind, times: ReadonlyMap<string, number>): string {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const row = (name: string, time: number) =>
    `| ${name} | ${time.toFixed(1)} | ${((100 * time) / total).toFixed(0)} % |`;
  const rows = [...times].filter(([, time]) => time >= 0.05).toSorted(([, a], [, b]) => b - a);
  return [
    `| ${head} | µs per ${kind} | share |`,
    '|---|---|---|',
    ...rows.map(([name, time]) => row(name, time)),
    row('together', total),
  ].join('\n');
}

/** Two tables of Markdown: by thread, and by part. On PostgreSQL the server started by the tests is used. */
export async function profileRequest(
  bench: Bench,
  database: DatabaseKind = 'sqlite',
  kind: RequestKind = 'refresh',
): Promise<string> {
  if (database === 'postgres') await makeDurable();
  const name = database === 'postgres' ? 'PostgreSQL' : 'SQLite, FULL';
  const gatehouse = await prepareGatehouse(name, database, bench.plan.users);
  try {
    const threads = await measureThreads(bench, gatehouse, kind);
    const parts = await measureParts(bench, gatehouse, kind);
    const named = new Map([...threads].map(([thread, time]) => [threadName(thread), time]));
    return `${table('thread, CPU time', kind, named)}\n\n${table('main thread, by part', kind, parts)}`;
  } finally {
    await gatehouse.dispose();
  }
}

function threadName(name: string): string {
  if (name === 'main') return 'main thread';
  if (name === 'libuv-worker') return 'thread pool: signatures, log writes';
  return name === 'V8Worker' ? 'V8 threads: compilation, garbage collection' : `thread ${name}`;
}
