/** Runs of hooks through the whole port: context in, JSON out. */

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { HookRun } from '../../src/domain/hooks/runner.ts';
import { createHookRunner, type HookProcessRunner } from '../../src/hook-runner/runner.ts';
import { runInProcess, runInWorker } from './hook-peers.ts';
import { type Line, line } from './lines.ts';
import { median } from './series.ts';

const source = `exports.handler = async ({ user, risk }) => {
  console.log('risk', risk.score);
  return { user: { ...user, policy_id: risk.score > 50 ? 2 : user.policy_id } };
};`;
const expected = '{"user":{"user_identifier":"ada@example.com","policy_id":2}}';
/** As large as a context with all flags on. */
const context = JSON.stringify({
  user: { user_identifier: 'ada@example.com', policy_id: 1 },
  risk: { score: 60, reasons: ['a new device', 'an unusual hour'] },
  device: { user_agent: 'x'.repeat(200), is_mobile: false },
  mfa_devices: Array.from({ length: 6 }, (_, id) => ({ device_id: String(id), user_display_name: 'x'.repeat(200) })),
});

const runsOfPeers = 30;
const idleMilliseconds = 2000;

export interface HookPlan {
  readonly runs: number;
  readonly rateMilliseconds: number;
  readonly changes: number;
  /** With a hook each. */
  readonly accounts: number;
}

type Once = (accountId?: number) => Promise<number>;

/** Milliseconds of one call. Throws when it is not answered as it should be. */
function once(runner: HookProcessRunner): Once {
  return async (accountId = 1) => {
    const call: HookRun = { accountId, source, packages: null, context, variables: {}, timeoutMilliseconds: 1000 };
    const startedAt = performance.now();
    const { ending, value } = await runner.run(call);
    if (ending !== 'success' || value !== expected) throw new Error(`a hook ended as ${ending}`);
    return performance.now() - startedAt;
  };
}

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < times; index++) all.push(await work());
  return all.toSorted((one, other) => one - other);
}

async function timed(work: () => Promise<string>): Promise<number> {
  const startedAt = performance.now();
  if ((await work()) !== expected) throw new Error('a peer answered something else');
  return performance.now() - startedAt;
}

export async function measureHooks(plan: HookPlan, log: (line: string) => void): Promise<Line[]> {
  const runner = createHookRunner({ fetch: async () => ({ refused: 'forbidden' }) });
  await runner.probed;
  try {
    const call = once(runner);
    await repeat(200, () => call());
    log('hooks: warm runs');
    const warm = await repeat(plan.runs, () => call());
    log('hooks: a worker thread, a process for each call');
    const worker = median(await repeat(runsOfPeers, () => timed(() => runInWorker(source, context))));
    const forked = median(await repeat(runsOfPeers, () => timed(() => runInProcess(source, context))));
    log('hooks: runs at a time');
    const rate = await measureRate(plan.rateMilliseconds, call);
    log('hooks: changes');
    const changed = await measureChanges(plan.changes, runner, call);
    const p50 = median(warm);
    const ms = 'ms';
    return [
      line('hook/warm', { figure: p50, unit: ms, against: worker, ratio: worker / p50, peer: 'a new worker thread' }),
      line('hook/p99', {
        figure: percentile99(warm),
        unit: ms,
        against: forked,
        ratio: forked / p50,
        peer: 'a forked process, p50',
      }),
      line('hook/rate', { figure: rate, unit: 'runs/s' }),
      line('hook/change', { figure: median(changed.first), unit: ms }),
      line('hook/neighbour', {
        figure: percentile99(changed.neighbour),
        unit: ms,
        against: percentile99(warm),
        promised: false,
        peer: 'with no change, p99',
      }),
      ...(await measureAccounts(plan.accounts, log)),
    ];
  } finally {
    await runner.close();
  }
}

function percentile99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

/** Eight callers, in two accounts. */
async function measureRate(milliseconds: number, call: Once): Promise<number> {
  const startedAt = performance.now();
  let runs = 0;
  const callers = Array.from({ length: 8 }, async (_, index) => {
    while (performance.now() - startedAt < milliseconds) {
      await call(1 + (index % 2));
      runs += 1;
    }
  });
  await Promise.all(callers);
  return (runs / (performance.now() - startedAt)) * 1000;
}

/** The first run after a change, and what another account sees of it meanwhile. */
async function measureChanges(changes: number, runner: HookProcessRunner, call: Once) {
  const neighbour: number[] = [];
  const stop = new AbortController();
  const calling = (async () => {
    while (!stop.signal.aborted) {
      neighbour.push(await call(2));
      await delay(20);
    }
  })();
  const first = await repeat(changes, async () => {
    runner.recycle(1);
    const milliseconds = await call(1);
    // The next spare process is there by then, as in an installation where changes are rare.
    await delay(500);
    return milliseconds;
  });
  stop.abort();
  await calling;
  return { first, neighbour: neighbour.toSorted((one, other) => one - other) };
}

/** So many accounts with a hook each: more than there are processes. */
async function measureAccounts(accounts: number, log: (line: string) => void): Promise<Line[]> {
  const runner = createHookRunner({ fetch: async () => ({ refused: 'forbidden' }), idleMilliseconds });
  await runner.probed;
  try {
    const call = once(runner);
    log(`hooks: ${accounts} accounts`);
    const first: number[] = [];
    for (let accountId = 1; accountId <= accounts; accountId++) first.push(await call(accountId));
    const processes = runner.processes();
    const memory = processes.reduce((sum, { pid }) => sum + (pid === null ? 0 : memoryOf(pid)), 0);
    const startedAt = performance.now();
    while (runner.processes().length > 0) await delay(50);
    const seconds = (performance.now() - startedAt - idleMilliseconds) / 1000;
    log(`hooks: ${processes.length} processes, let go within ${seconds.toFixed(1)} s of being idle`);
    first.sort((one, other) => one - other);
    return [
      line('hook/accounts', {
        figure: median(first),
        unit: 'ms',
        against: percentile99(first),
        promised: false,
        peer: 'its p99',
      }),
      line('hook/memory', {
        figure: memory / Math.max(1, processes.length),
        unit: 'MB',
        against: memory,
        promised: false,
        peer: `${processes.length} processes`,
      }),
    ];
  } finally {
    await runner.close();
  }
}

/** What a process and those that it started have for themselves, in MB: pages that several share count in part. */
function memoryOf(pid: number): number {
  try {
    const kilobytes = Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + memoryOf(Number(child)), kilobytes / 1024);
  } catch {
    return 0;
  }
}
