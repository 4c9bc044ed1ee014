import type { Log } from '../../services.ts';
import { reasonOf } from '../describe.ts';

/** Long enough that a flood of refusals is one commit at a time, and too short to be waited for. */
const pauseMilliseconds = 250;

/** Flushes once a moment has passed, for a process that serves. The process does not wait for it. */
export function flushSoon(log: Pick<Log, 'warn'>): (flush: () => Promise<void>) => void {
  return (flush) => {
    setTimeout(() => {
      flush().catch((error: unknown) => {
        log.warn('refusals not stored', { reason: reasonOf(error) });
      });
    }, pauseMilliseconds).unref();
  };
}
