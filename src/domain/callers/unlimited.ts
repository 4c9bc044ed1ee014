import type { LimitState } from '../limits.ts';

/** The state reported for a limit that is off. */
export const unlimited: LimitState = { limit: 2 ** 31 - 1, remaining: 2 ** 31 - 1, resetSeconds: 0 };
