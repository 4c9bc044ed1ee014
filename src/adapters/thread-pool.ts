/** The threads on which Node signs and reads files, and how far threads stand behind the event loop. */

import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';

/** In steps of `nice`: the pool still gets a tenth of a core that it and the event loop want. */
const poolStepsBehind = 10;

/** The priority of a thread so many steps of `nice` behind the event loop; null where a priority is not a thread's own, which it is on Linux. */
export function priorityBehindEventLoop(steps: number): number | null {
  if (process.platform !== 'linux') return null;
  return Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW);
}

/**
 * Lets the event loop go first where it and the pool want the same core: it is the loop that feeds the pool, and that
 * answers whatever needs no signature.
 */
export async function putPoolBehindEventLoop(): Promise<void> {
  const priority = priorityBehindEventLoop(poolStepsBehind);
  if (priority === null) return;
  // This reading is done by the pool, whose threads all begin with the first thing they are given.
  for (const thread of await readdir('/proc/self/task')) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '');
    if (name.trim() === 'libuv-worker') setPriority(Number(thread), priority);
  }
}
