/** The account's limit of runs: runs beyond it wait a little. Each hook type has a limit of its own. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import type { HookType } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';

const stepMilliseconds = 50;

/** Counts a run; false when the account's limit stays exhausted for `hookWaitMilliseconds`. */
export async function takeRun(
  { limits, hookWaitMilliseconds }: Pick<Services, 'limits' | 'hookWaitMilliseconds'>,
  account: Account,
  type: HookType,
): Promise<boolean> {
  const subject = { hookType: type };
  const start = performance.now();
  for (;;) {
    const isLate = performance.now() - start >= hookWaitMilliseconds;
    // Asked first: a run that waits is not refused yet.
    if (isLate || (await limits.state(account, 'hooks', subject))?.remaining !== 0) {
      try {
        await limits.take(account, 'hooks', subject);
        return true;
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'rate_limited')) throw error;
        if (isLate) return false;
      }
    }
    await delay(stepMilliseconds);
  }
}
