import type { Clock } from '../services.ts';

/** The time of the machine. */
export const systemClock: Clock = { now: () => Date.now() };
