/** The priority of the threads on which Node signs and reads files, relative to the event loop. */

import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';

/** In steps of `nice`: the pool still gets a tenth of a core that it shares with the event loop. */
const poolStepsBehind = 10;

/**
 * The priority of a thread that many steps of `nice` behind the event loop; null where threads have no priority of
 * their own, as they do on Linux.
 */
export function priorityBehindEventLoop(steps: number): number | null {
  if (process.platform !== 'linux') return null;
  return Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW);
}

/**
 * Lets the event loop go first when it and the pool compete for a core: the loop supplies the pool, and answers
 * everything that needs no signature.
 */
export async function putPoolBehindEventLoop(): Promise<void> {
  const priority = priorityBehindEventLoop(poolStepsBehind);
  if (priority === null) return;
  // The pool does this reading; all its threads start with their first work.
  for (const thread of await readdir('/proc/self/task')) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '');
    if (name.trim() === 'libuv-worker') setPriority(Number(thread), priority);
  }
}
