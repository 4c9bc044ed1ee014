/** Runs a program at the head of a process group, to its end. */

import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Gives the exit status of the program; 1 where a signal ended it. A signal to this process reaches its whole group:
 * what the program has started would outlive it. From then on no such signal ends this process, which has to clean up.
 */
export async function runGroup(file: string, args: readonly string[], options: SpawnOptions): Promise<number> {
  const child = spawn(file, args, { ...options, detached: true });
  for (const signal of passedOn) process.on(signal, () => child.pid && signalGroup(child.pid, signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    // It has ended already, and this process is cleaning up.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
