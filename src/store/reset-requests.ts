import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/**
 * Somebody asked for a link with which the user of a name chooses a new password; kept until it was sent or given up.
 */
export interface ResetRequestRecord {
  readonly accountId: number;
  readonly id: number;
  /** What was typed, sealed. */
  readonly sealedName: string;
  /** Address that it came from, and the request that asked. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** How often it was tried. */
  readonly attempts: number;
  readonly createdAt: Milliseconds;
  readonly dueAt: Milliseconds;
}

/** Links that were asked for and not sent yet. */
export interface ResetRequestStore {
  add(request: New<ResetRequestRecord>): Promise<void>;
  countOpen(accountId: number): Promise<number>;
  /**
   * Those that are due, of all accounts but some, each for one caller: they are due again at `until`, and an attempt is
   * counted.
   */
  claim(
    now: Milliseconds,
    until: Milliseconds,
    limit: number,
    except?: readonly number[],
  ): Promise<ResetRequestRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
}
