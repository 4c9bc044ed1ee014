import type { Services } from '../services.ts';
import type { Milliseconds } from '../store/time.ts';
import { hour, minute } from './durations.ts';

/** A clock that gains this much within a minute was set; and for so long it is not trusted. */
const mostAhead: Milliseconds = 10 * minute;
const doubt: Milliseconds = hour;

/**
 * The time, or null while the clock is not trusted: for an hour after it jumped ahead of `monotonic`. A wrong clock
 * would delete rows that have not expired.
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
    // A drifting clock is followed, but frequent calls must not let it gain much in small steps.
    if (doubtedSince !== null || ahead < 0 || elapsed - basedAt >= minute) {
      base += ahead;
      basedAt = elapsed;
    }
    doubtedSince = null;
    return now;
  };
}
