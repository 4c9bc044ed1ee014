/** Milliseconds since the epoch (UTC), or a length of time in them. */
export type Milliseconds = number;
