/**
 * A bounded queue for a scarce resource that strangers can request. Accounts take turns; within an account its networks
 * take turns; within a network the source that had the least goes first. When the queue is full, room is made by the
 * account with the most requests, or by a network with even more requests in all accounts together.
 */

import { type AccountQueue, countTurn, createAccountQueue, goesBefore } from './account-queue.ts';
import { findCrowd } from './crowd.ts';
import { findFirst, findLast } from './order.ts';
import type { Share } from './share.ts';
import { isQuiet, type Path, sourceOf } from './sources.ts';

export interface FairQueueOptions {
  /** Concurrent turns. */
  readonly turns: number;
  /** Additional concurrent turns for sources that had less than their share. */
  readonly turnsForQuiet?: number;
  /** Concurrent turns of one account, and of one holder in it. */
  readonly turnsOfAccount?: number;
  readonly turnsOfHolder?: number;
  /** Whether accounts with fewer turns go first, so that none gets several while others wait for one; default: false. */
  readonly fewestFirst?: boolean;
  /** Maximum number of requests that have a turn or are waiting for one. */
  readonly most: number;
  /**
   * Pause between the end of a turn and the next turn in its place; default: none. A request that waits gets a place at
   * once.
   */
  readonly pauseMilliseconds?: number;
  /** Milliseconds; default: the clock of the process. */
  readonly clock?: () => number;
  /** From 0 to below 1; used to choose among equals. */
  readonly random?: () => number;
}

export interface Turn {
  /**
   * Priority for a second resource: the lower rank goes first. Quiet sources overtake requests that already have a
   * turn.
   */
  readonly rank: number;
  /**
   * Gives the turn back; only once. `isForgiven` clears what the source had. `weight`: the length of the turn in usual
   * turns, default 1; while others wait, the account gets only one of that many turns.
   */
  end(isForgiven?: boolean, weight?: number): void;
  /** Whether another account waits for nothing but room, which the end of this turn would make. */
  isWanted(): boolean;
}

export interface FairQueue {
  /**
   * Waits for a turn. Null when there is no place, when a request with a smaller share took it, or after
   * `waitMilliseconds`. Requests of one source are served in order of arrival. A source that waits before it comes
   * again goes before newcomers.
   */
  enter(share: Share, waitMilliseconds?: number): Promise<Turn | null>;
}

interface Waiting {
  readonly account: AccountQueue;
  readonly holder: string;
  readonly path: Path;
  /** The names in its path. */
  readonly names: readonly string[];
  readonly settle: (turn: Turn | null) => void;
}

const everything = Number.POSITIVE_INFINITY;

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { turns, turnsForQuiet = 0, turnsOfAccount = everything, turnsOfHolder = everything } = options;
  const { fewestFirst = false, most, pauseMilliseconds = 0, random = Math.random } = options;
  const clock = options.clock ?? (() => performance.now());
  const accounts = new Map<number, AccountQueue>();
  /** In order of arrival. Short enough for a linear search: its length is bounded by `most`. */
  const waiting: Waiting[] = [];
  let running = 0;
  /** Turns that have ended but whose place is still in its pause. */
  let pausing = 0;
  let turnCount = 0;

  function accountOf(id: number): AccountQueue {
    const known = accounts.get(id);
    if (known) return known;
    // After the accounts that have waited longer, before the one served last.
    const account = createAccountQueue(id, turnCount - 0.5, clock);
    accounts.set(id, account);
    return account;
  }

  /** The state of an idle account is dropped: it does not compete with anyone. */
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

  /** Chooses among accounts in turn, then among the networks and sources of the account. */
  function findNext(): Waiting | null {
    const able = waiting.filter(mayBegin);
    let account = able[0]?.account;
    for (const one of able) if (account && goesBefore(one.account, account, fewestFirst)) account = one.account;
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
    countTurn(account, holder, 1);
    running += 1;
    return {
      rank,
      end(isForgiven = false, weight = 1) {
        account.lastTurn += weight - 1;
        // One right password among many waiting wrong ones is no reason to serve those.
        const isLast = !waiting.some((one) => sourceOf(one.path) === sourceOf(path));
        account.sources.end(path, isForgiven && isLast);
        running -= 1;
        countTurn(account, holder, -1);
        dispatchAfterPause();
        forgetIdle(account);
      },
      isWanted: () => waiting.some((one) => one.account !== account && hasTurnsLeft(one)),
    };
  }

  /** The request that makes room in a full queue, possibly the newcomer: the last of the largest crowd. */
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
