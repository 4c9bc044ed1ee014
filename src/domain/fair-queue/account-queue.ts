import { createSources, type Sources } from './sources.ts';

/** The state of an account that has turns or is waiting for one. */
export interface AccountQueue {
  readonly id: number;
  readonly sources: Sources;
  /** Number of turns of each holder that has any. */
  readonly running: Map<string, number>;
  turns: number;
  /** Counted from arrival: an account with an arriving request is not idle. */
  waiting: number;
  /** When it last had a turn, counted in turns. */
  lastTurn: number;
}

/** `clock` returns milliseconds. */
export function createAccountQueue(id: number, lastTurn: number, clock: () => number): AccountQueue {
  return { id, sources: createSources(clock), running: new Map(), turns: 0, waiting: 0, lastTurn };
}

/** Adds one to the turns of an account and of the holder in it, or takes one away. */
export function countTurn(account: AccountQueue, holder: string, change: 1 | -1): void {
  account.turns += change;
  const left = (account.running.get(holder) ?? 0) + change;
  if (left > 0) account.running.set(holder, left);
  else account.running.delete(holder);
}

/** Whether an account is served before another one: the one that has waited longer, or first the one with fewer turns. */
export function goesBefore(one: AccountQueue, other: AccountQueue, fewestFirst: boolean): boolean {
  if (fewestFirst && one.turns !== other.turns) return one.turns < other.turns;
  return one.lastTurn < other.lastTurn;
}
