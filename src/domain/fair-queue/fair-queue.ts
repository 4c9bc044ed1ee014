/**
 * A bounded queue before something scarce that strangers ask for: accounts take turns, and within an account the source
 * goes first that had the least. When it is full, a newcomer takes the place of whoever asks for most.
 */

import { type AccountQueue, createAccountQueue } from './account-queue.ts';

/** Whose share a request counts against. */
export interface Share {
  readonly accountId: number;
  /** Whatever tells those apart who ask: a network, an API caller. Compared as it is. */
  readonly source: string;
}

export interface FairQueueOptions {
  /** Turns at a time. */
  readonly turns: number;
  /** Further turns at a time, for sources that had less than their share. */
  readonly turnsForQuiet?: number;
  /** Turns at a time of one account, and of one source. */
  readonly turnsOfAccount?: number;
  readonly turnsOfSource?: number;
  /** Requests that have a turn or wait for one. */
  readonly most: number;
  /** From the end of a turn to the beginning of the next in its room; none unless said. Who waits has room at once. */
  readonly pauseMilliseconds?: number;
  /** Milliseconds; those of the process unless said. */
  readonly clock?: () => number;
}

export interface Turn {
  /** Where turns compete once more: the lower goes first. Quiet sources overtake those that have a turn already. */
  readonly rank: number;
  /** Gives the turn back; once. One that is forgiven wipes out what its source had. */
  end(isForgiven?: boolean): void;
}

export interface FairQueue {
  /**
   * Waits for a turn. Null when there is no place, when somebody with a smaller share took it, or after
   * `waitMilliseconds`. Requests of one source are served in the order in which they came.
   */
  enter(share: Share, waitMilliseconds?: number): Promise<Turn | null>;
}

interface Waiting {
  readonly account: AccountQueue;
  readonly source: string;
  readonly start: number;
  readonly settle: (turn: Turn | null) => void;
}

const everything = Number.POSITIVE_INFINITY;

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { turns, turnsForQuiet = 0, turnsOfAccount = everything, turnsOfSource = everything } = options;
  const { most, pauseMilliseconds = 0 } = options;
  const clock = options.clock ?? (() => performance.now());
  const accounts = new Map<number, AccountQueue>();
  /** In order of arrival. Short enough to be searched: its length is bounded by `most`. */
  const waiting: Waiting[] = [];
  let running = 0;
  /** Turns that ended, and whose room is not given on yet. */
  let pausing = 0;
  let turnCount = 0;

  function accountOf(id: number): AccountQueue {
    const known = accounts.get(id);
    if (known) return known;
    // After those who wait longer, before the one that was served last.
    const account = createAccountQueue(id, turnCount - 0.5, clock);
    accounts.set(id, account);
    return account;
  }

  /** What an account had is forgotten when it asks for nothing: nobody competes with it. */
  function forgetIdle(account: AccountQueue): void {
    if (account.turns === 0 && account.waiting === 0) accounts.delete(account.id);
  }

  function leave(one: Waiting): void {
    waiting.splice(waiting.indexOf(one), 1);
    one.account.waiting -= 1;
  }

  function mayBegin({ account, source, start }: Waiting): boolean {
    if (account.turns >= turnsOfAccount || (account.running.get(source) ?? 0) >= turnsOfSource) return false;
    const taken = running + pausing;
    return taken < turns || (taken < turns + turnsForQuiet && account.sources.isQuiet(start));
  }

  function findNext(): Waiting | null {
    let next: Waiting | null = null;
    for (const one of waiting) {
      if (mayBegin(one) && (next === null || isBefore(one, next))) next = one;
    }
    return next;
  }

  function dispatch(): void {
    for (let next = findNext(); next !== null; next = findNext()) {
      leave(next);
      next.settle(begin(next));
    }
  }

  function dispatchAfterPause(): void {
    if (pauseMilliseconds === 0) {
      dispatch();
      return;
    }
    pausing += 1;
    setTimeout(() => {
      pausing -= 1;
      dispatch();
    }, pauseMilliseconds);
  }

  function begin({ account, source, start }: Waiting): Turn {
    turnCount += 1;
    const isQuiet = account.sources.isQuiet(start);
    const rank = isQuiet ? turnCount - turns - turnsForQuiet : turnCount;
    account.sources.serve(start);
    account.lastTurn = turnCount;
    account.turns += 1;
    account.running.set(source, (account.running.get(source) ?? 0) + 1);
    running += 1;
    return {
      rank,
      end(isForgiven = false) {
        // Requests that wait keep their order.
        const isLast = !waiting.some((one) => one.account === account && one.source === source);
        if (isForgiven && isLast) account.sources.forgive(source);
        running -= 1;
        account.turns -= 1;
        const left = (account.running.get(source) ?? 1) - 1;
        if (left > 0) account.running.set(source, left);
        else account.running.delete(source);
        dispatchAfterPause();
        forgetIdle(account);
      },
    };
  }

  /** Who makes room for the newcomer: the last of the account that waits most, or of the source that had most. */
  function findDisplaced(account: AccountQueue, start: number): Waiting | null {
    let largest = account;
    for (const other of accounts.values()) if (other.waiting > largest.waiting) largest = other;
    let last: Waiting | null = null;
    for (const one of waiting) {
      if (one.account === largest && (last === null || one.start >= last.start)) last = one;
    }
    return last !== null && (largest !== account || last.start > start) ? last : null;
  }

  function makeRoom(account: AccountQueue, start: number): boolean {
    if (running + waiting.length < most) return true;
    const displaced = findDisplaced(account, start);
    if (!displaced) return false;
    leave(displaced);
    displaced.account.sources.refuse(displaced.source, displaced.start);
    displaced.settle(null);
    forgetIdle(displaced.account);
    return true;
  }

  return {
    enter({ accountId, source }, waitMilliseconds) {
      const account = accountOf(accountId);
      account.waiting += 1;
      const start = account.sources.startOf(source);
      if (!makeRoom(account, start)) {
        account.waiting -= 1;
        account.sources.refuse(source, start);
        forgetIdle(account);
        return Promise.resolve(null);
      }
      account.sources.charge(source, start);
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const settle = (turn: Turn | null) => {
          clearTimeout(timer);
          resolve(turn);
        };
        const one: Waiting = { account, source, start, settle };
        waiting.push(one);
        dispatch();
        if (waitMilliseconds === undefined || !waiting.includes(one)) return;
        timer = setTimeout(() => {
          leave(one);
          resolve(null);
          forgetIdle(account);
        }, waitMilliseconds);
      });
    },
  };
}

/** Accounts in turn, then the lowest tag; of equals the one that came first, as it is looked at first. */
function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.account !== other.account) return one.account.lastTurn < other.account.lastTurn;
  return one.start < other.start;
}
