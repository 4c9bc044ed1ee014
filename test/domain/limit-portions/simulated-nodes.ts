/** Nodes with the limits of the service, over a database in memory, in a time of their own. */

import type { Account } from '../../../src/domain/accounts/account.ts';
import type { Limit } from '../../../src/domain/accounts/limit-settings.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { Portions } from '../../../src/domain/limit-portions/portions.ts';
import { createLimitRounds, type LimitRounds } from '../../../src/domain/limit-portions/rounds.ts';
import type { LimitSubject, Limits } from '../../../src/domain/limits.ts';
import { createLimits } from '../../../src/http/rate-limit.ts';
import type { LimitCount, LimitCountStore, LimitSum } from '../../../src/store/limit-counts.ts';

/** Time that passes when it is told to, with what is to happen in it. */
export class SimulatedTime {
  now = 0;
  #due: { readonly at: number; readonly work: () => void }[] = [];

  /** Arranges `work`; what is returned cancels it. */
  later(milliseconds: number, work: () => void): () => void {
    const one = { at: this.now + milliseconds, work };
    this.#due.push(one);
    return () => {
      this.#due = this.#due.filter((other) => other !== one);
    };
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.later(milliseconds, resolve));
  }

  /** Lets all happen that is due until then. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      await settled();
      const [next] = this.#due.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.now = Math.max(this.now, next.at);
      next.work();
    }
    this.now = end;
  }
}

/** What promises have led to by now. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

/** What a database knows, by the same rules as the store, with a clock that differs from that of the nodes. */
export class SimulatedLedger {
  readonly #time: SimulatedTime;
  readonly #rows = new Map<string, { taken: number; expiresAt: number }>();
  readonly #ahead = 1_000_000_000;
  milliseconds = 4;
  isAway = false;
  statements = 0;
  rows = 0;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  readonly store: LimitCountStore = {
    add: async (accountId, counts) => {
      await this.#time.wait(this.milliseconds / 2);
      if (this.isAway) throw new Failure('unavailable', { reason: 'away' });
      this.statements += 1;
      this.rows += counts.length;
      const sums = counts.map((count) => this.#add(accountId, count));
      await this.#time.wait(this.milliseconds / 2);
      return sums;
    },
  };

  #add(accountId: number, { digest, taken, expiresAt, leftMilliseconds }: LimitCount): LimitSum {
    const now = this.#time.now + this.#ahead;
    const key = `${accountId} ${digest}`;
    const ends = expiresAt ?? now + leftMilliseconds;
    let row = this.#rows.get(key);
    if (!row || row.expiresAt <= now) row = { taken, expiresAt: ends };
    else if (ends > now) {
      row = { taken: Math.max(0, row.taken + taken), expiresAt: Math.min(row.expiresAt, ends) };
    }
    this.#rows.set(key, row);
    return { digest, ...row, leftMilliseconds: row.expiresAt - now };
  }
}

export interface SimulatedNode {
  readonly limits: Limits;
  readonly portions: Portions;
  readonly rounds: LimitRounds;
  readonly lines: string[];
}

export function simulateNodes(count: number, mostPortions?: number) {
  const time = new SimulatedTime();
  const ledger = new SimulatedLedger(time);
  const nodes = Array.from({ length: count }, (): SimulatedNode => {
    const lines: string[] = [];
    const say = (event: string) => void lines.push(event);
    const portions = new Portions(mostPortions);
    const elapsed = () => time.now;
    const limits = createLimits({ elapsed, secret: 'of all nodes', portions });
    const rounds = createLimitRounds({
      portions,
      store: { limitCounts: ledger.store },
      log: { info: say, warn: say },
      elapsed,
      later: (milliseconds, work) => time.later(milliseconds, work),
    });
    rounds.start();
    return { limits, portions, rounds, lines };
  });
  return { time, ledger, nodes };
}

/** An account whose limit `sign-in` is this one. */
export function limitedTo(points: number, windowSeconds: number, id = 1): Account {
  const limit: Limit = { points, windowSeconds };
  return { id, settings: { limits: { 'sign-in': limit } } } as unknown as Account;
}

/** Whether the node counted an event. */
export async function isTaken({ limits }: SimulatedNode, account: Account, subject: LimitSubject): Promise<boolean> {
  try {
    await limits.take(account, 'sign-in', subject);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'rate_limited') return false;
    throw error;
  }
}
