import type { Milliseconds } from './time.ts';

/** A request that its caller made repeatable (`Idempotency-Key`), and its answer once there is one. */
export interface KeptAnswerRecord {
  readonly accountId: number;
  /** Derived from the caller and the key. */
  readonly digest: string;
  /** Derived from the caller, whose keys are counted. */
  readonly caller: string;
  /** Derived from the request: the same key with another request is refused. */
  readonly requestDigest: string;
  /** Random: who serves the request. */
  readonly claim: string;
  /** From then on another may claim the key, unless the work is done. */
  readonly claimedUntil: Milliseconds;
  /** The work is committed, whether or not its answer is known. */
  readonly isDone: boolean;
  /** Null while there is none, and where it was lost or is too large. */
  readonly sealedAnswer: string | null;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

type Claim = Pick<KeptAnswerRecord, 'accountId' | 'digest' | 'claim'>;

export interface KeptAnswerStore {
  /**
   * Claims a key. Null for exactly one caller as long as the key is claimed, done or not expired; the record that has
   * the key for all others.
   */
  claim(record: KeptAnswerRecord, now: Milliseconds): Promise<KeptAnswerRecord | null>;
  /** Notes that the work is done, in the transaction of the work; false when another has claimed the key since. */
  markDone(claim: Claim): Promise<boolean>;
  /** Keeps the answer to work that is done. */
  keep(claim: Claim, sealedAnswer: string): Promise<void>;
  /** Gives the key back, unless the work is done. */
  release(claim: Claim): Promise<void>;
  /** Deletes the oldest of a caller's records beyond `most`. */
  trim(accountId: number, caller: string, most: number): Promise<void>;
}
