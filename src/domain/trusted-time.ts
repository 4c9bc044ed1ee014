import type { Services } from '../services.ts';
import type { Milliseconds } from '../store/time.ts';
import { hour, minute } from './durations.ts';

/** A clock that gained so much in a minute was set; and for so long it is not believed. */
const mostAhead: Milliseconds = 10 * minute;
const doubt: Milliseconds = hour;

/**
 * The time, or null while the clock is not believed: for an hour after it jumped ahead, as `monotonic` tells. What a
 * wrong clock takes for expired would be gone.
 */
export function createTrustedTime(
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  monotonic: () => Milliseconds,
): () => Milliseconds | null {
  let base = clock.now() - monotonic();
  let basedAt = monotonic();
  let doubtedSince: Milliseconds | null = null;
  return () => {
    const [now, elapsed] = [clock.now(), monotonic()];
    const ahead = now - elapsed - base;
    if (ahead > mostAhead) {
      if (doubtedSince === null) {
        doubtedSince = elapsed;
        log.warn('clock jumped ahead', { reason: 'nothing is deleted for an hour', milliseconds: Math.round(ahead) });
      }
      if (elapsed - doubtedSince < doubt) return null;
    }
    // A clock that drifts is followed; one that is asked often must not gain much by little at a time.
    if (doubtedSince !== null || ahead < 0 || elapsed - basedAt >= minute) {
      base += ahead;
      basedAt = elapsed;
    }
    doubtedSince = null;
    return now;
  };
}
