/** What shuts builds in, as it was found last: for whoever must not wait for the answer. */

import type { Services } from '../../services.ts';
import type { PackageBuilder, PackageWalls } from './package-builds.ts';

/** A failure may pass, and each try starts processes. */
const pauseMilliseconds = 30_000;

interface KeptWalls {
  /** Asks the builder, and keeps what it says. */
  ask(): Promise<PackageWalls>;
  /** What was said last, null before that. Asks in the background, every half minute at most. */
  last(): PackageWalls | null;
}

/** Refusals are logged when they begin or their reason changes, and when they end. */
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
        ask().catch((error: unknown) => log.error('packages not examined', { stack: String((error as Error).stack) }));
      }
      return kept;
    },
  };
}
