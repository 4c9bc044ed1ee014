import { createSources, type Sources } from './sources.ts';

/** What a queue knows of an account that has a turn or waits for one. */
export interface AccountQueue {
  readonly id: number;
  readonly sources: Sources;
  /** Turns of each holder that has one. */
  readonly running: Map<string, number>;
  turns: number;
  /** From its arrival on: an account that is asking is not idle. */
  waiting: number;
  /** When it last had a turn, counted in turns. */
  lastTurn: number;
}

/** `clock` tells milliseconds. */
export function createAccountQueue(id: number, lastTurn: number, clock: () => number): AccountQueue {
  return { id, sources: createSources(clock), running: new Map(), turns: 0, waiting: 0, lastTurn };
}
