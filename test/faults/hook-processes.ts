/** The processes that functions of hooks run in, seen from outside of the service. */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const mostWaitMilliseconds = 10_000;

/** A process, distinguished from a later one with the same id. */
export interface SeenProcess {
  readonly pid: number;
  /** In clock ticks since the system started. */
  readonly startedAt: string;
}

interface Listed extends SeenProcess {
  readonly parent: number;
  /** `Z` for one that has exited and has not been waited for. */
  readonly state: string;
}

/** Null when there is none, or no longer. */
function readProcess(pid: number): Listed | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; what follows is numbered from the third field (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return null;
  }
}

/** Everything that the process started, and what that started, the outermost first. */
export function descendantsOf(pid: number): SeenProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const found: Listed[] = [];
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter(({ parent, state }) => parents.has(parent) && state !== 'Z');
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

function isAlive({ pid, startedAt }: SeenProcess): boolean {
  const now = readProcess(pid);
  return now !== null && now.startedAt === startedAt && now.state !== 'Z';
}

/** Waits until all are gone; answers those that stay, and how long the last of the others took. */
export async function untilGone(
  processes: readonly SeenProcess[],
): Promise<{ readonly left: readonly SeenProcess[]; readonly milliseconds: number }> {
  const began = performance.now();
  let left = processes.filter(isAlive);
  while (left.length > 0 && performance.now() - began < mostWaitMilliseconds) {
    await delay(5);
    left = left.filter(isAlive);
  }
  return { left, milliseconds: performance.now() - began };
}

/** SIGKILL; whether there was anything to end. */
export function killHard({ pid }: SeenProcess): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
