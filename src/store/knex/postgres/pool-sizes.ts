/** Connections of a process. */
export const poolSize = 10;
/** A separate pool for reading many rows, so that others do not wait for those connections. */
export const readingPoolSize = 4;
