/** The last known confinement of builds, for callers that must not wait for the answer. */

import type { Services } from '../../services.ts';
import { stackOf } from '../describe.ts';
import type { PackageBuilder, PackageWalls } from './package-builds.ts';

/** A failure may be temporary, and each attempt starts processes. */
const pauseMilliseconds = 30_000;

interface KeptWalls {
  /** Asks the builder and keeps the answer. */
  ask(): Promise<PackageWalls>;
  /** The last answer, or null before the first. Asks again in the background, at most every half minute. */
  last(): PackageWalls | null;
}

/** Refusals are logged when they begin, when their reason changes, and when they end. */
export function keepWalls({ clock, log }: Pick<Services, 'clock' | 'log'>, builder: PackageBuilder): KeptWalls {
  let kept: PackageWalls | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<PackageWalls> {
    askedAt = clock.now();
    const found = await builder.walls();
    const before = kept?.reason ?? null;
    kept = found;
    if (found.state === 'refused' && found.reason !== before) {
      log.warn('packages are refused', { reason: `${found.reason}; remedy: ${found.remedy}` });
    }
    if (found.state !== 'refused' && before !== null) log.info('packages are built again');
    return found;
  }

  return {
    ask,
    last() {
      if (clock.now() - askedAt >= pauseMilliseconds) {
        ask().catch((error: unknown) => log.error('packages not examined', { stack: stackOf(error) }));
      }
      return kept;
    },
  };
}
