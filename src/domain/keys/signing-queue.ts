/** Signatures that were asked for and are not made yet. While many wait for a thread, no core is idle. */

export interface SigningQueue {
  /** A signature was asked for. */
  enter(): void;
  /** One was made, or failed. */
  leave(): void;
  /** Calls `then` once, when at most `most` signatures are not made, and after so many milliseconds at the latest. */
  whenFew(most: number, milliseconds: number, then: () => void): void;
}

interface Waiting {
  readonly most: number;
  readonly go: () => void;
}

export function createSigningQueue(): SigningQueue {
  const waiting = new Set<Waiting>();
  let size = 0;
  return {
    enter: () => {
      size += 1;
    },
    leave: () => {
      size -= 1;
      for (const { most, go } of waiting) if (size <= most) go();
    },
    whenFew: (most, milliseconds, then) => {
      if (size <= most) {
        then();
        return;
      }
      const go = () => {
        waiting.delete(one);
        clearTimeout(timer);
        then();
      };
      const one: Waiting = { most, go };
      const timer = setTimeout(go, milliseconds);
      waiting.add(one);
    },
  };
}
