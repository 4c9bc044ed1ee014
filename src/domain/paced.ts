/** Runs long work in short slices, so that other work gets its turn in between. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Milliseconds } from '../store/time.ts';

/** Even after the shortest slice, waiting work is served. */
const shortestRest: Milliseconds = 5;
/** However slow the machine is, enough slices run for the work to end: at least ten of 50 ms each second. */
const longestRest: Milliseconds = 50;

export interface Pacing {
  /** The share of time that slices may take, as long as the rest is within its bounds. */
  readonly share: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => Milliseconds;
  /** Waits; returns at once when the work is to stop. */
  readonly rest: (milliseconds: Milliseconds) => Promise<void>;
  /** No further slice begins after it was aborted. */
  readonly signal: AbortSignal;
}

/** Waits without keeping the process alive; returns at once when `signal` is aborted. */
export async function restUnlessAborted(milliseconds: Milliseconds, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, null, { signal, ref: false }).catch(() => {});
}

/** How long to rest after a slice of this duration. */
export function restAfter(milliseconds: Milliseconds, share: number): Milliseconds {
  return Math.min(longestRest, Math.max(shortestRest, milliseconds * (1 / share - 1)));
}

/** Rests before each slice but the first, so that slices take this share of the time, or more where the rest is longest. */
export function restsBetween(share: number): () => Promise<void> {
  let startedAt: Milliseconds | null = null;
  return async () => {
    if (startedAt !== null) await delay(restAfter(performance.now() - startedAt, share));
    startedAt = performance.now();
  };
}

/** Runs slices with rests in between while `slice` returns that there is more. Rejects when a slice does. */
export async function paced(slice: () => Promise<boolean>, { share, monotonic, rest, signal }: Pacing): Promise<void> {
  while (!signal.aborted) {
    const startedAt = monotonic();
    if (!(await slice())) return;
    await rest(restAfter(monotonic() - startedAt, share));
  }
}
