/**
 * A bounded queue before something scarce that strangers ask for: accounts take turns, within an account networks, and
 * within a network the source goes first that had the least. When it is full, the account makes room that asks for
 * most, or the network that asks for more in all accounts together.
 */

import { type AccountQueue, createAccountQueue } from './account-queue.ts';
import { findCrowd } from './crowd.ts';
import { findFirst, findLast } from './order.ts';
import { isQuiet, type Path, sourceOf } from './sources.ts';

/** Whose share a request counts against. */
export interface Share {
  readonly accountId: number;
  /** Whatever tells those apart who ask: a network, an API caller. Compared as it is. */
  readonly source: string;
  /** Those that it is in, the widest first: they take turns before the sources in them do. None unless said. */
  readonly networks?: readonly string[];
  /** For whom turns at a time are counted; the source unless said. */
  readonly holder?: string;
}

export interface FairQueueOptions {
  /** Turns at a time. */
  readonly turns: number;
  /** Further turns at a time, for sources that had less than their share. */
  readonly turnsForQuiet?: number;
  /** Turns at a time of one account, and of one holder in it. */
  readonly turnsOfAccount?: number;
  readonly turnsOfHolder?: number;
  /** Requests that have a turn or wait for one. */
  readonly most: number;
  /** From the end of a turn to the beginning of the next in its room; none unless said. Who waits has room at once. */
  readonly pauseMilliseconds?: number;
  /** Milliseconds; those of the process unless said. */
  readonly clock?: () => number;
  /** From 0 to below 1; draws one of equals. */
  readonly random?: () => number;
}

export interface Turn {
  /** Where turns compete once more: the lower goes first. Quiet sources overtake those that have a turn already. */
  readonly rank: number;
  /**
   * Gives the turn back; once. One that is forgiven wipes out what its source had. `weight`: how many usual turns it
   * took the time of, 1 unless said; its account has one in so many turns while others wait.
   */
  end(isForgiven?: boolean, weight?: number): void;
  /** Whether another account waits for nothing but room, which the end of this turn would make. */
  isWanted(): boolean;
}

export interface FairQueue {
  /**
   * Waits for a turn. Null when there is no place, when somebody with a smaller share took it, or after
   * `waitMilliseconds`. Requests of one source are served in the order in which they came. A source that waits after
   * that and comes again goes before those who come for the first time.
   */
  enter(share: Share, waitMilliseconds?: number): Promise<Turn | null>;
}

interface Waiting {
  readonly account: AccountQueue;
  readonly holder: string;
  readonly path: Path;
  /** Of what its path consists. */
  readonly names: readonly string[];
  readonly settle: (turn: Turn | null) => void;
}

const everything = Number.POSITIVE_INFINITY;

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { turns, turnsForQuiet = 0, turnsOfAccount = everything, turnsOfHolder = everything } = options;
  const { most, pauseMilliseconds = 0, random = Math.random } = options;
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

  function hasTurnsLeft({ account, holder }: Waiting): boolean {
    return account.turns < turnsOfAccount && (account.running.get(holder) ?? 0) < turnsOfHolder;
  }

  function mayBegin(one: Waiting): boolean {
    const taken = running + pausing;
    return hasTurnsLeft(one) && (taken < turns || (taken < turns + turnsForQuiet && isQuiet(one.path)));
  }

  /** Accounts in turn, then the networks and sources of the account. */
  function findNext(): Waiting | null {
    const able = waiting.filter(mayBegin);
    let account = able[0]?.account;
    for (const one of able) if (account && one.account.lastTurn < account.lastTurn) account = one.account;
    return findFirst(able.filter((one) => one.account === account)) ?? null;
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

  function begin({ account, holder, path }: Waiting): Turn {
    turnCount += 1;
    const rank = isQuiet(path) ? turnCount - turns - turnsForQuiet : turnCount;
    account.sources.serve(path);
    account.lastTurn = Math.max(account.lastTurn, turnCount);
    account.turns += 1;
    account.running.set(holder, (account.running.get(holder) ?? 0) + 1);
    running += 1;
    return {
      rank,
      end(isForgiven = false, weight = 1) {
        account.lastTurn += weight - 1;
        // One right password among many wrong ones that wait is no reason to serve those.
        const isLast = !waiting.some((one) => sourceOf(one.path) === sourceOf(path));
        account.sources.end(path, isForgiven && isLast);
        running -= 1;
        account.turns -= 1;
        const left = (account.running.get(holder) ?? 1) - 1;
        if (left > 0) account.running.set(holder, left);
        else account.running.delete(holder);
        dispatchAfterPause();
        forgetIdle(account);
      },
      isWanted: () => waiting.some((one) => one.account !== account && hasTurnsLeft(one)),
    };
  }

  /** Who makes room in a full queue, the newcomer among them: the last of the largest crowd. */
  function findDisplaced(): Waiting | undefined {
    return findLast(findCrowd(waiting, random), random);
  }

  function turnAway(one: Waiting): void {
    leave(one);
    one.account.sources.refuse(one.path);
    one.settle(null);
    forgetIdle(one.account);
  }

  return {
    enter({ accountId, source, networks = [], holder = source }, waitMilliseconds) {
      const account = accountOf(accountId);
      account.waiting += 1;
      const names = [...networks, source];
      const path = account.sources.arrive(names);
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const settle = (turn: Turn | null) => {
          clearTimeout(timer);
          resolve(turn);
        };
        const one: Waiting = { account, holder, path, names, settle };
        waiting.push(one);
        const displaced = running + waiting.length > most ? findDisplaced() : undefined;
        if (displaced) turnAway(displaced);
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
