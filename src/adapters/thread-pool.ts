/** The threads on which Node signs, digests passwords and reads files. */

import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';

/** How far the pool stands behind the event loop, in steps of `nice`: it still gets a tenth of a core that both want. */
const stepsBehind = 10;

/**
 * Lets the event loop go first where it and the pool want the same core: it is the loop that feeds the pool, and that
 * answers while many passwords are digested. On Linux a priority belongs to a thread; elsewhere nothing changes.
 */
export async function putPoolBehindEventLoop(): Promise<void> {
  if (process.platform !== 'linux') return;
  const behind = Math.min(getPriority() + stepsBehind, constants.priority.PRIORITY_LOW);
  // This reading is done by the pool, whose threads all begin with the first thing they are given.
  for (const thread of await readdir('/proc/self/task')) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '');
    if (name.trim() === 'libuv-worker') setPriority(Number(thread), behind);
  }
}
