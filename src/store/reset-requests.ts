import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A request for a link with which the user of a name chooses a new password; stored until it is sent or abandoned. */
export interface ResetRequestRecord {
  readonly accountId: number;
  readonly id: number;
  /** What was typed, sealed. */
  readonly sealedName: string;
  /** The address of the request that asked, and its id. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** Number of attempts so far. */
  readonly attempts: number;
  readonly createdAt: Milliseconds;
  readonly dueAt: Milliseconds;
}

/** Links that were requested and not sent yet. */
export interface ResetRequestStore {
  add(request: New<ResetRequestRecord>): Promise<void>;
  countOpen(accountId: number): Promise<number>;
  /**
   * Claims due requests of all accounts except some, each for one caller: they are due again at `until`, and an attempt
   * is counted.
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
