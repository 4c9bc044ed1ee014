/** What the trail tells of once in a while, however often it happens. */

const hourMilliseconds = 3_600_000;

/** Strangers choose what is remembered: this many grants with a token that was refused. */
const defaultMost = 20_000;

export interface Once {
  /** Whether it is the first time within the hour, which begins with it. */
  isFirst(what: string): boolean;
  /** Takes back that it was told. */
  forget(what: string): void;
}

export interface OnceOptions {
  /** Milliseconds of a clock that never goes back; that of the process unless a test says otherwise. */
  readonly elapsed?: () => number;
  /** Things that are remembered: beyond it the oldest is forgotten, and told of once more when it happens again. */
  readonly most?: number;
}

/** In the memory of this process: each node tells for itself. */
export function createOnceAnHour({ elapsed = () => performance.now(), most = defaultMost }: OnceOptions = {}): Once {
  // All hours being equally long, they end in the order in which they began.
  const endOf = new Map<string, number>();

  function removeEnded(now: number): void {
    for (const [what, endsAt] of endOf) {
      if (endsAt > now && endOf.size < most) return;
      endOf.delete(what);
    }
  }

  return {
    isFirst: (what) => {
      const now = elapsed();
      if ((endOf.get(what) ?? now) > now) return false;
      removeEnded(now);
      endOf.set(what, now + hourMilliseconds);
      return true;
    },
    forget: (what) => {
      endOf.delete(what);
    },
  };
}
