/** How long and how often is measured. */

import type { HookPlan } from './measure-hooks.ts';

export interface Plan {
  readonly connections: number;
  /** Users with a live refresh token at every server. */
  readonly users: number;
  /** Users of the large database. */
  readonly manyUsers: number;
  /** Load of each kind on a server before its first round, while its code gets compiled; more if it had few requests. */
  readonly settleMilliseconds: number;
  /** At the beginning of each round, unmeasured. */
  readonly warmUpMilliseconds: number;
  /** Rounds for refreshes compared with the peers, and for everything else. */
  readonly refresh: Rounds;
  readonly other: Rounds;
  /** For each request beside its floor: many of them, so that they are short. */
  readonly floors: Rounds;
  readonly starts: number;
  readonly hooks: HookPlan;
}

export interface Rounds {
  readonly rounds: number;
  readonly milliseconds: number;
  /** Other than the plan's. */
  readonly connections?: number;
  readonly settleMilliseconds?: number;
  readonly warmUpMilliseconds?: number;
}

/** What a flush takes on the slow disk. */
export const slowFlushMilliseconds = 2;

const common = { connections: 32, users: 1_000, manyUsers: 1_000_000 } as const;

/** About 20 minutes. */
export const fullPlan: Plan = {
  ...common,
  settleMilliseconds: 3_000,
  warmUpMilliseconds: 700,
  refresh: { rounds: 7, milliseconds: 2_500 },
  other: { rounds: 5, milliseconds: 2_000 },
  floors: { rounds: 3, milliseconds: 900, settleMilliseconds: 1_000, warmUpMilliseconds: 250 },
  starts: 5,
  hooks: { runs: 3_000, rateMilliseconds: 5_000, changes: 20, accounts: 200 },
};

/** At most 90 seconds, without the floors. */
export const quickPlan: Plan = {
  ...common,
  settleMilliseconds: 3_500,
  warmUpMilliseconds: 400,
  refresh: { rounds: 3, milliseconds: 2_200 },
  other: { rounds: 3, milliseconds: 1_300 },
  floors: { rounds: 2, milliseconds: 600, settleMilliseconds: 800, warmUpMilliseconds: 200 },
  starts: 3,
  hooks: { runs: 800, rateMilliseconds: 2_000, changes: 8, accounts: 40 },
};
