import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { CountedAttempt, UserRecord } from '../../store/users.ts';
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
