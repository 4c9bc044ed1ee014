import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord, UserStatus } from '../../store/users.ts';

/** What the numbers of the wire mean, in the words of the command line. */
export const userStatusNames = {
  0: 'unactivated',
  1: 'active',
  2: 'suspended',
  3: 'locked',
  4: 'password expired',
  5: 'awaiting reset',
  7: 'password pending',
} as const satisfies Record<UserStatus, string>;

/** The statuses that an operator sets. */
export const settableStatuses = { active: 1, locked: 3, suspended: 2 } as const satisfies Record<string, UserStatus>;

export type SettableStatus = keyof typeof settableStatuses;

/** What a new status changes of a user. */
export function withStatus(user: Pick<UserRecord, 'activatedAt' | 'status'>, status: UserStatus, now: Milliseconds) {
  // Also at its end: what was on its way when it began was made before that.
  const suspended = [user.status, status].includes(settableStatuses.suspended) && { signedOutAt: now };
  if (status !== settableStatuses.active) return { status, ...suspended };
  return { status, ...suspended, activatedAt: user.activatedAt ?? now, invalidLoginAttempts: 0, lockedUntil: null };
}
