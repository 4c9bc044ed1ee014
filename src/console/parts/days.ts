const dayMilliseconds = 86_400_000;

/** So many days before, or at the time itself for none. */
export const daysBefore = (time: number, days: number): Date => new Date(time - days * dayMilliseconds);
