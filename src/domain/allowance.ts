/** What accounts may use up in a period, such as bytes on everybody's disk, counted in the memory of a process. */

import type { Milliseconds } from '../store/time.ts';

export interface Allowance {
  /** Whether the account has so much left at `now`, of `most` in a period; it is used up then. */
  take(accountId: number, amount: number, most: number, now: Milliseconds): boolean;
}

/** Periods begin at multiples of their length, for all accounts at once. */
export function createAllowance(period: Milliseconds): Allowance {
  const used = new Map<number, number>();
  let current = 0;
  return {
    take: (accountId, amount, most, now) => {
      const at = Math.floor(now / period);
      if (at !== current) used.clear();
      current = at;
      const before = used.get(accountId) ?? 0;
      if (before + amount > most) return false;
      used.set(accountId, before + amount);
      return true;
    },
  };
}
