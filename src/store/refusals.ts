import type { Milliseconds } from './time.ts';

/** A refusal that a person saw on a page, for a day: the page shows the number of its request as a reference. */
export interface RefusalRecord {
  readonly accountId: number;
  readonly requestId: string;
  readonly at: Milliseconds;
  /** The address that it was refused to. */
  readonly source: string;
  /** The cause, as JSON text: parts of it were sent by strangers, and JSON escapes what a database refuses. */
  readonly detail: string;
  readonly expiresAt: Milliseconds;
}

export interface RefusalStore {
  /** One statement; a request that has one already keeps it. */
  add(refusals: readonly RefusalRecord[]): Promise<void>;
  find(accountId: number, requestId: string, now: Milliseconds): Promise<RefusalRecord | null>;
}
