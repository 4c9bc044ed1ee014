/** Long work in short slices, so that everybody else has a turn between them. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Milliseconds } from '../store/time.ts';

/** The part of the time that slices may take, while a rest stays within its bounds. */
const share = 0.05;
/** What waits meanwhile is served even after the shortest slice. */
const shortestRest: Milliseconds = 5;
/** However slow the machine is, there are so many slices a second that work ends: at least ten of 50 ms. */
const longestRest: Milliseconds = 50;

export interface Pacing {
  /** Milliseconds from any start; never goes back. */
  readonly monotonic: () => Milliseconds;
  /** Waits; at once when the work is to stop. */
  readonly rest: (milliseconds: Milliseconds) => Promise<void>;
  /** After it was aborted no further slice begins. */
  readonly signal: AbortSignal;
}

/** Waits without keeping the process; at once when `signal` is aborted. */
export async function restUnlessAborted(milliseconds: Milliseconds, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, null, { signal, ref: false }).catch(() => {});
}

/** How long to rest after a slice that took so long. */
export function restAfter(milliseconds: Milliseconds): Milliseconds {
  return Math.min(longestRest, Math.max(shortestRest, milliseconds * (1 / share - 1)));
}

/** Runs slices, each followed by a rest, for as long as `slice` answers that there is more. Rejects as a slice does. */
export async function paced(slice: () => Promise<boolean>, { monotonic, rest, signal }: Pacing): Promise<void> {
  while (!signal.aborted) {
    const startedAt = monotonic();
    if (!(await slice())) return;
    await rest(restAfter(monotonic() - startedAt));
  }
}
