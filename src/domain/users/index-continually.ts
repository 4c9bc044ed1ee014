/** Keeps the index by which users are searched, behind those who write. */

import type { Services } from '../../services.ts';
import { stackOf } from '../describe.ts';
import { minute } from '../durations.ts';
import { type Pacing, paced } from '../paced.ts';

/** Users per slice; the store ends one that takes too long. */
const usersAtOnce = 200;
/** How long to wait before looking again for users who wait: searches read those one by one. */
const pauseMilliseconds = 2_000;
/** The share of time that slices may take. */
const share = 0.2;
const failurePauseMilliseconds = minute;

/** Works until `signal` is aborted. Failures are logged. */
export async function indexContinually(
  {
    store,
    log,
  }: { readonly store: Pick<Services['store'], 'indexUsers'>; readonly log: Pick<Services['log'], 'error'> },
  pacing: Omit<Pacing, 'share'>,
): Promise<void> {
  const { rest, signal } = pacing;
  while (!signal.aborted) {
    let pause = pauseMilliseconds;
    try {
      const slice = async () => {
        const { isLast, refused } = await store.indexUsers(usersAtOnce, signal);
        if (refused !== undefined) log.error('index of users not made', { reason: refused });
        return !isLast;
      };
      await paced(slice, { ...pacing, share });
    } catch (error) {
      pause = failurePauseMilliseconds;
      log.error('users not indexed', {
        stack: stackOf(error),
      });
    }
    if (!signal.aborted) await rest(pause);
  }
}
