/** What the trail tells of once in a while, however often it happens. */

import { hour } from '../durations.ts';

/** Strangers choose what is remembered: of each account, this many grants with a token that was refused. */
const defaultMost = 2_000;

export interface Once {
  /** Whether it is the first time within the hour, which begins with it. */
  isFirst(accountId: number, what: string): boolean;
  /** Takes back that it was told. */
  forget(accountId: number, what: string): void;
}

export interface OnceOptions {
  /** Milliseconds of a clock that never goes back; that of the process unless a test says otherwise. */
  readonly elapsed?: () => number;
  /** Things that are remembered of an account: beyond it the oldest is forgotten, and told of once more when it happens again. */
  readonly most?: number;
}

/** In the memory of this process: each node tells for itself. Accounts do not push out what others are remembered for. */
export function createOnceAnHour({ elapsed = () => performance.now(), most = defaultMost }: OnceOptions = {}): Once {
  // All hours being equally long, they end in the order in which they began.
  const endsOf = new Map<number, Map<string, number>>();

  function removeEnded(ends: Map<string, number>, now: number): void {
    for (const [what, endsAt] of ends) {
      if (endsAt > now && ends.size < most) return;
      ends.delete(what);
    }
  }

  return {
    isFirst: (accountId, what) => {
      const now = elapsed();
      const ends = endsOf.get(accountId) ?? new Map<string, number>();
      if ((ends.get(what) ?? now) > now) return false;
      removeEnded(ends, now);
      endsOf.set(accountId, ends.set(what, now + hour));
      return true;
    },
    forget: (accountId, what) => {
      endsOf.get(accountId)?.delete(what);
    },
  };
}
