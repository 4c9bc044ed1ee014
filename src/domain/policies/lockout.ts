import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { CountedAttempt } from '../../store/store.ts';
import { minute } from '../durations.ts';

/** A try of a user's to be counted under the policy, before it is known whether it is right. */
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
