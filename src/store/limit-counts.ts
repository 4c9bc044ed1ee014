import type { Milliseconds } from './time.ts';

/** What a node tells of one limit of one subject, in the window that it counts in. */
export interface LimitCount {
  /** Stands for account, limit, and subject; a secret goes into it. */
  readonly digest: string;
  /** Events since it last told; negative if more were given back. */
  readonly taken: number;
  /** The end of the window by the database's clock, if the node has heard of it; else it ends as `leftMilliseconds` says. */
  readonly expiresAt: Milliseconds | null;
  readonly leftMilliseconds: number;
}

/** What all nodes have told of it. */
export interface LimitSum {
  readonly digest: string;
  readonly taken: number;
  readonly expiresAt: Milliseconds;
  /** Until the window ends, by the database's clock. */
  readonly leftMilliseconds: number;
}

/** The counts of limits that nodes tell each other. Windows are by the database's clock. */
export interface LimitCountStore {
  /**
   * Adds to the sums of an account and returns them, in one statement. A window begins with who tells first and ends as
   * the first of the nodes says; what is told after the end changes nothing.
   */
  add(accountId: number, counts: readonly LimitCount[]): Promise<LimitSum[]>;
}
