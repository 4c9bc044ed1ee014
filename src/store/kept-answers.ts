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
  /** Random: which of the requests with the key it is. */
  readonly claim: string;
  /** From then on the request is not served any more: if its work is not done, another one may claim the key. */
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
  /** The record that has the key, unless the key is free: its record is expired, or claimed too long ago and not done. */
  find(accountId: number, digest: string, now: Milliseconds): Promise<KeptAnswerRecord | null>;
  /** Claims a key if it is free; true for exactly one of several at once. */
  claim(record: KeptAnswerRecord, now: Milliseconds): Promise<boolean>;
  /** Notes that the work is done, in the transaction of the work; false when another has claimed the key since. */
  markDone(claim: Claim): Promise<boolean>;
  /** Keeps the answer to work that is done; null for one that is too large. */
  keep(claim: Claim, sealedAnswer: string | null): Promise<void>;
  /** Gives the key back, unless the work is done. */
  release(claim: Claim): Promise<void>;
  /** Deletes the oldest of a caller's records beyond `most`. */
  trim(accountId: number, caller: string, most: number): Promise<void>;
}
