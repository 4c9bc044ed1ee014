/** What Linux tells about running processes. Elsewhere every answer is null. */

import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in ticks of 1/100 s on every architecture that Node runs on. */
const microsecondsPerTick = 10_000;

interface ProcessStat {
  readonly parent: number;
  readonly microseconds: number;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null; // It ended, or this is not Linux.
  }
}

/** proc(5): the command's name, in parentheses, may hold anything; what follows are numbers between spaces. */
function readStat(file: string): ProcessStat | null {
  const text = readText(file);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields
    ? { parent: Number(fields[1]), microseconds: (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick }
    : null;
}

/** Running processes that these have started, and those that they have started in turn: a hook's has a shell above it. */
function descendantsOf(pids: readonly number[]): number[] {
  const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const byParent = Map.groupBy(running.map(Number), (pid) => parentOf(pid));
  const found = new Set<number>();
  const add = (pid: number): void => {
    for (const child of byParent.get(pid) ?? []) {
      if (pids.includes(child) || found.has(child)) continue;
      found.add(child);
      add(child);
    }
  };
  pids.forEach(add);
  return [...found];
}

/** CPU time that these processes and their descendants have used so far, in µs; without threads of the name `uncounted`. */
export function processorTime(pids: readonly number[], uncounted?: string): number | null {
  if (uncounted !== undefined) return timeWithout(pids, uncounted);
  const own = pids.map((pid) => readStat(`/proc/${pid}/stat`));
  if (own.includes(null)) return null;
  const others = descendantsOf(pids).map((pid) => readStat(`/proc/${pid}/stat`));
  return [...own, ...others].reduce((sum, stat) => sum + (stat?.microseconds ?? 0), 0);
}

/**
 * The same without some threads. What is left may be a hundredth of the whole, so that it is read in ns, which the
 * kernel counts for each thread.
 */
function timeWithout(pids: readonly number[], uncounted: string): number | null {
  const own = pids.flatMap(threadsOf).filter((thread) => !isCalled(thread, uncounted));
  const others = descendantsOf(pids).flatMap(threadsOf);
  const nanoseconds = [...own, ...others].map((thread) => readText(`${thread}/schedstat`)?.split(' ', 1)[0] ?? 0);
  return own.length === 0 ? null : nanoseconds.reduce((sum: number, time) => sum + Number(time) / 1000, 0);
}

function isCalled(thread: string, name: string): boolean {
  return readText(`${thread}/comm`)?.trim() === name;
}

/** Whether one of these processes has a thread of the name by now. */
export function hasThread(pids: readonly number[], name: string): boolean {
  return pids.flatMap(threadsOf).some((thread) => isCalled(thread, name));
}

/** None where the process has ended, or this is not Linux. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    return [];
  }
}

/** CPU time of a process by the name of its threads, in µs: `main`, `libuv-worker`, `V8Worker`, … */
export function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = Number(thread) === pid ? 'main' : (readText(`/proc/${pid}/task/${thread}/comm`)?.trim() ?? 'ended');
    const microseconds = readStat(`/proc/${pid}/task/${thread}/stat`)?.microseconds ?? 0;
    times.set(name, (times.get(name) ?? 0) + microseconds);
  }
  return times;
}

/** The most memory that the process ever had resident, in MB (10^6 bytes). */
export function peakMemory(pid: number): number | null {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kibibytes === undefined ? null : (Number(kibibytes) * 1024) / 1e6;
}

/** The memory that the process has resident now, in MB (10^6 bytes). */
export function residentMemory(pid: number): number | null {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kibibytes === undefined ? null : (Number(kibibytes) * 1024) / 1e6;
}

export function parentOf(pid: number): number | null {
  return readStat(`/proc/${pid}/stat`)?.parent ?? null;
}
