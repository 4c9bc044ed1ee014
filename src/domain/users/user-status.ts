import type { Milliseconds } from '../../store/time.ts';
import { type UserRecord, type UserStatus, userStatuses } from '../../store/users.ts';

/** The names that the command line uses. */
export const userStatusNames = {
  [userStatuses.unactivated]: 'unactivated',
  [userStatuses.active]: 'active',
  [userStatuses.suspended]: 'suspended',
  [userStatuses.locked]: 'locked',
  [userStatuses.passwordExpired]: 'password expired',
  [userStatuses.awaitingReset]: 'awaiting reset',
  [userStatuses.passwordPending]: 'password pending',
} as const satisfies Record<UserStatus, string>;

/** The statuses that an operator can set. */
export const settableStatuses = {
  active: userStatuses.active,
  locked: userStatuses.locked,
  suspended: userStatuses.suspended,
} as const;

export type SettableStatus = keyof typeof settableStatuses;

/** Why a user with this status may neither sign in nor continue; null for an active user. */
export function refusalByStatus(status: UserStatus): 'user_suspended' | 'user_locked' | 'user_inactive' | null {
  switch (status) {
    case userStatuses.active:
      return null;
    case userStatuses.suspended:
      return 'user_suspended';
    case userStatuses.locked:
      return 'user_locked';
    case userStatuses.unactivated:
    case userStatuses.passwordExpired:
    case userStatuses.awaitingReset:
    case userStatuses.passwordPending:
      return 'user_inactive';
  }
}

/** What a new status changes on a user. */
export function withStatus(user: Pick<UserRecord, 'activatedAt' | 'status'>, status: UserStatus, now: Milliseconds) {
  // Set at the end of a suspension too: everything that was in flight when it began is older than that.
  const suspended = [user.status, status].includes(userStatuses.suspended) && { signedOutAt: now };
  if (status !== userStatuses.active) return { status, ...suspended };
  return { status, ...suspended, activatedAt: user.activatedAt ?? now, invalidLoginAttempts: 0, lockedUntil: null };
}
