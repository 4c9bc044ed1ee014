import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { CountedAttempt, UserRecord } from '../../store/users.ts';
import { minute } from '../durations.ts';

/** Whether passwords of the user are not checked for some time, after too many wrong ones. */
export function isPasswordClosed({ lockedUntil }: Pick<UserRecord, 'lockedUntil'>, now: Milliseconds): boolean {
  return (lockedUntil ?? 0) > now;
}

/** An attempt to be counted under the policy, before its outcome is known. */
export function attemptUnder(
  { clock }: Pick<Services, 'clock'>,
  user: UserRecord,
  { maximumInvalidLoginAttempts, lockEffectiveMinutes }: PolicyRecord,
): CountedAttempt {
  const now = clock.now();
  return {
    accountId: user.accountId,
    userId: user.id,
    now,
    maximum: maximumInvalidLoginAttempts,
    lockedUntil: now + lockEffectiveMinutes * minute,
  };
}
