/**
 * Gives accepted connections to processes in turn. A connection is given up only when its process says that it has it:
 * until then nothing of it was read, so that another process gets it when that one dies.
 */

import type { Socket } from 'node:net';

/** A process that takes connections. */
export interface Taker {
  give(socket: Socket): void;
}

export interface Handout {
  add(socket: Socket): void;
  /** From now on the process has its turns. */
  join(taker: Taker): void;
  /** No further one for this process; what it was given it takes. */
  leave(taker: Taker): void;
  /** The process has what it was given last. */
  taken(taker: Taker): void;
  /** The process did not get what it was given last: the next one gets it, which may be the same. */
  missed(taker: Taker): void;
  /** The process is gone. */
  lost(taker: Taker): void;
  /** Settles when every connection is taken. */
  settled(): Promise<void>;
}

export function createHandout(): Handout {
  const waiting: Socket[] = [];
  /** Whose turn was longest ago is first. */
  const takers: Taker[] = [];
  /** One at a time: a process that is busy gets no more than others. */
  const given = new Map<Taker, Socket>();
  let onSettled: (() => void)[] = [];

  function next(): void {
    while (waiting.length > 0) {
      const free = takers.findIndex((taker) => !given.has(taker));
      const [taker] = free < 0 ? [] : takers.splice(free, 1);
      if (!taker) return;
      takers.push(taker);
      const socket = waiting.shift();
      if (!socket) return;
      given.set(taker, socket);
      taker.give(socket);
    }
    if (given.size > 0) return;
    for (const resolve of onSettled) resolve();
    onSettled = [];
  }

  function leave(taker: Taker): void {
    const index = takers.indexOf(taker);
    if (index >= 0) takers.splice(index, 1);
  }

  function missed(taker: Taker): void {
    const socket = given.get(taker);
    given.delete(taker);
    if (socket) waiting.unshift(socket);
    next();
  }

  return {
    add(socket) {
      socket.on('error', () => {});
      waiting.push(socket);
      next();
    },
    join(taker) {
      takers.unshift(taker);
      next();
    },
    leave,
    taken(taker) {
      // Closes this process's own copy alone.
      given.get(taker)?.destroy();
      given.delete(taker);
      next();
    },
    missed,
    lost(taker) {
      leave(taker);
      missed(taker);
    },
    settled: () =>
      new Promise((resolve) => {
        onSettled.push(resolve);
        next();
      }),
  };
}
