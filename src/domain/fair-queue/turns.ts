/** Queues by what they are for, and work that waits in one. */

import { createFairQueue, type FairQueue, type FairQueueOptions } from './fair-queue.ts';
import type { Share } from './share.ts';

/** One queue for each key, such as a port of the process: applications of one process share nothing. */
export function queuePerKey<Key extends object>(options: FairQueueOptions): (key: Key) => FairQueue {
  const queues = new WeakMap<Key, FairQueue>();
  return (key) => {
    const queue = queues.get(key) ?? createFairQueue(options);
    queues.set(key, queue);
    return queue;
  };
}

interface Waiting<Other> {
  readonly share: Share;
  /** Default: as long as it takes. */
  readonly waitMilliseconds?: number | undefined;
  /** Called in place of the work when others had the turns for that long, or too many wait. */
  readonly otherwise: () => Other;
}

/** Does the work when the share has a turn, and gives the turn back whatever becomes of it. */
export async function inTurn<Result, Other>(
  queue: FairQueue,
  { share, waitMilliseconds, otherwise }: Waiting<Other>,
  work: () => Promise<Result>,
): Promise<Result | Other> {
  const turn = await queue.enter(share, waitMilliseconds);
  if (turn === null) return otherwise();
  try {
    return await work();
  } finally {
    turn.end();
  }
}
