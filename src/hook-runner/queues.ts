/** Runs that wait for a process of their account, in order of arrival and for a limited time. */

import type { Member } from './member.ts';

/** Maximum number of waiting runs of one account. */
const mostWaiting = 256;

/** Called with a process that has room, or with null when there will be none. */
export type Begin = (member: Member | null) => void;

export interface Queues {
  /** Runs `work` when its turn comes; null when that takes longer than the wait, or too many are waiting. */
  wait<Result>(
    accountId: number,
    waitMilliseconds: number,
    work: (member: Member) => Promise<Result>,
  ): Promise<Result | null>;
  /** Accounts with waiting runs. */
  all(): IterableIterator<[accountId: number, queue: Begin[]]>;
  isEmpty(): boolean;
  /** Stops all waiting of the account. */
  giveUp(accountId: number): void;
}

export function createQueues(): Queues {
  const queues = new Map<number, Begin[]>();

  function leave(accountId: number, queue: Begin[], begin: Begin): void {
    const at = queue.indexOf(begin);
    if (at !== -1) queue.splice(at, 1);
    if (queue.length === 0 && queues.get(accountId) === queue) queues.delete(accountId);
  }

  return {
    wait(accountId, waitMilliseconds, work) {
      const queue = queues.get(accountId) ?? [];
      if (queue.length >= mostWaiting) return Promise.resolve(null);
      queues.set(accountId, queue);
      return new Promise((resolve) => {
        const begin: Begin = (member) => {
          clearTimeout(timer);
          leave(accountId, queue, begin);
          resolve(member === null ? null : work(member));
        };
        const timer = setTimeout(begin, waitMilliseconds, null);
        queue.push(begin);
      });
    },
    all: () => [...queues].values(),
    isEmpty: () => queues.size === 0,
    giveUp(accountId) {
      for (const begin of [...(queues.get(accountId) ?? [])]) begin(null);
    },
  };
}
