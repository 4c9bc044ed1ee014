/** Where the CPU time of one refresh goes: by thread from the system, and on the main thread by part of the program. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, contestant } from './bench.ts';
import { type CpuProfile, isIdle, partOf, sampleTimes } from './cpu-profile.ts';
import { type Gatehouse, prepareGatehouse } from './gatehouse.ts';
import { threadTimes } from './processor-time.ts';
import type { Target } from './target.ts';

const milliseconds = 6_000;

/** CPU time of a refresh by thread, in µs, as the server runs without a profiler. */
async function measureThreads(bench: Bench, gatehouse: Gatehouse, tokens: TokenSlice): Promise<Map<string, number>> {
  const server = await gatehouse.serve();
  const target = sliced(contestant(server, 'refresh').target, 'threads', tokens);
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

/** How the main thread's time divides, as shares of 1. */
async function measureParts(bench: Bench, gatehouse: Gatehouse, tokens: TokenSlice): Promise<Map<string, number>> {
  const folder = join(gatehouse.installation.folder, 'profile');
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250'];
  const server = await gatehouse.serve({ flags });
  const target = sliced(contestant(server, 'refresh').target, 'parts', tokens);
  const [series] = await bench.alternate({ rounds: 1, milliseconds }, [{ label: 'by part', target }]);
  // Writes the profile as it ends.
  await server.stop();
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const profile = JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8')) as CpuProfile;
  const { from = 0, to = 0 } = series?.measurements[0] ?? {};
  return sharesOf(profile, from, to);
}

function sharesOf(profile: CpuProfile, from: number, to: number): Map<string, number> {
  const part = partOf(profile);
  const times = new Map<string, number>();
  for (const { node, at, microseconds } of sampleTimes(profile)) {
    if (at < from || at > to || isIdle(profile, node)) continue;
    const name = part(node);
    times.set(name, (times.get(name) ?? 0) + microseconds);
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return new Map([...times].map(([name, time]) => [name, time / total]));
}

type TokenSlice = readonly [from: number, to: number];

/** Each server gets chains of its own: the generator would hand a new one the old heads. */
function sliced(target: Target, name: string, [from, to]: TokenSlice): Target {
  return { ...target, name: `${target.name}, ${name}`, tokens: target.tokens.slice(from, to) };
}

/** A table of Markdown. */
export async function profileRefresh(bench: Bench): Promise<string> {
  const gatehouse = await prepareGatehouse('SQLite, FULL', 'sqlite', bench.plan.users);
  const half = bench.plan.users / 2;
  try {
    const threads = await measureThreads(bench, gatehouse, [0, half]);
    const parts = await measureParts(bench, gatehouse, [half, bench.plan.users]);
    const total = [...threads.values()].reduce((sum, time) => sum + time, 0);
    const main = threads.get('main') ?? Number.NaN;
    const row = (name: string, microseconds: number) =>
      `| ${name} | ${microseconds.toFixed(1)} | ${((100 * microseconds) / total).toFixed(1)} % |`;
    const rows = [
      ...[...parts].toSorted(([, a], [, b]) => b - a).map(([name, share]) => row(name, share * main)),
      row('**main thread**', main),
      ...[...threads]
        .filter(([name, time]) => name !== 'main' && time >= 0.05)
        .map(([name, time]) => row(threadName(name), time)),
      row('**together**', total),
    ];
    return ['| part | µs per refresh | share |', '|---|---|---|', ...rows].join('\n');
  } finally {
    await gatehouse.dispose();
  }
}

function threadName(name: string): string {
  if (name === 'libuv-worker') return 'thread pool: signatures, log writes';
  return name === 'V8Worker' ? 'V8 threads: compilation, garbage collection' : `thread ${name}`;
}
