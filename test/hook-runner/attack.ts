/** One round of the hostile guests in one account, next to a neighbour that is called throughout. */

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Guest, guests } from './guests.ts';
import { graceMilliseconds, handler, type TestRunner } from './runner.ts';

const attacker = 7;
const neighbour = 8;
/** Twenty calls a second. */
const pauseMilliseconds = 50;

export interface Attacked {
  readonly guest: Guest;
  readonly ending: string;
  /** Beyond the function's own time and the grace. */
  readonly overrunMilliseconds: number;
}

export interface Round {
  readonly attacked: readonly Attacked[];
  readonly neighbour: { readonly calls: number; readonly failures: readonly string[]; readonly p99: number };
  /** The most that any hook process had resident, in MB; null where the system does not tell. */
  readonly peakMegabytes: number | null;
}

export async function attack(runner: TestRunner, timeoutMilliseconds: number): Promise<Round> {
  const peaks = new Map<number, number>();
  const stop = new AbortController();
  const calls = callNeighbour(runner, stop.signal, peaks);
  const attacked: Attacked[] = [];
  for (const guest of guests) {
    // Started before: what is measured is the run.
    await runner.call(handler(''), { accountId: attacker });
    // What is refused does not use its time up; on a busy machine a short one would end it before.
    const ownMilliseconds = guest.endings.includes('timeout') ? timeoutMilliseconds : 60_000;
    const { ending, durationMilliseconds } = await runner.call(guest.source, {
      accountId: attacker,
      timeoutMilliseconds: ownMilliseconds,
    });
    const overrunMilliseconds = Math.max(0, durationMilliseconds - ownMilliseconds - graceMilliseconds);
    attacked.push({ guest, ending, overrunMilliseconds });
  }
  stop.abort();
  return { attacked, neighbour: await calls, peakMegabytes: Math.max(...peaks.values(), 0) || null };
}

async function callNeighbour(runner: TestRunner, stopped: AbortSignal, peaks: Map<number, number>) {
  const failures: string[] = [];
  const times: number[] = [];
  while (!stopped.aborted) {
    const startedAt = performance.now();
    const { ending, value } = await runner.call(handler('return context.n + 1'), {
      accountId: neighbour,
      context: '{"n":1}',
      timeoutMilliseconds: 60_000,
    });
    times.push(performance.now() - startedAt);
    if (ending !== 'success' || value !== '2') failures.push(ending);
    for (const { pid } of runner.processes()) if (pid !== null) notePeak(pid, peaks);
    await delay(pauseMilliseconds);
  }
  times.sort((one, other) => one - other);
  return { calls: times.length, failures, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
}

/** Of the process and of those that it started: the outermost one is a wrapper. */
export function notePeak(pid: number, peaks: Map<number, number>): void {
  try {
    const kilobytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    peaks.set(pid, Math.max(peaks.get(pid) ?? 0, kilobytes / 1024));
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const child of children) notePeak(Number(child), peaks);
  } catch {
    // It has just exited, or this is not Linux.
  }
}
