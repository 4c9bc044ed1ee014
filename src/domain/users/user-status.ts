import type { UserStatus } from '../../store/records.ts';

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
