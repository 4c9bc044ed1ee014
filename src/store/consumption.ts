/** The use of a refresh token: its input and its outcome. */

import type { AssertionRecord } from './clients.ts';
import type { NewEvent } from './events.ts';
import type { GrantRecord } from './grants.ts';
import type { Milliseconds } from './time.ts';
import type { TokenUser } from './users.ts';

/** The part of a new access token that the domain determines; the store assigns the id. */
export interface NewAccessToken {
  readonly digest: string;
  readonly issuedAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** A presented refresh token, with its successor prepared. */
export interface Consumption {
  readonly accountId: number;
  readonly grantId: number;
  /** The client that presents it. */
  readonly appId: number;
  readonly presentedDigest: string;
  /** A narrower scope for the access token; null: the grant's. */
  readonly scope: readonly string[] | null;
  readonly now: Milliseconds;
  /** How long the immediate predecessor still gets the same successor. */
  readonly graceMilliseconds: number;
  readonly successorDigest: string;
  /** The salt with which the successor was derived from the presented token. */
  readonly successorSalt: string;
  readonly idleExpiresAt: Milliseconds;
  readonly accessToken: NewAccessToken;
  /** The proof of a key that came with it (RFC 9449), used up in the same commit unless it is refused. */
  readonly proof: AssertionRecord | null;
  readonly judge: Judge;
  /** The event for the trail, in the same commit; null: none. Rotations are not recorded. */
  readonly eventOf: (outcome: Untypical) => NewEvent | null;
}

export type ConsumptionRefusal =
  | 'unknown'
  | 'other_client'
  | 'expired'
  | 'revoked'
  | 'proof_used'
  | 'scope_exceeded'
  | 'user_locked'
  | 'user_suspended'
  | 'user_inactive'
  | 'access_not_assigned';

/** A grant with everything that decides about its use, read while its row is locked. */
export interface GrantStanding {
  readonly grant: GrantRecord;
  readonly user: TokenUser;
  /** Whether the app is assigned to the user. */
  readonly assigned: boolean;
}

/**
 * `rotate`, `repeat` (the same successor again) and `reuse` (revoke the family) change something; all others refuse.
 */
export type Verdict = 'rotate' | 'repeat' | 'reuse' | ConsumptionRefusal;

/**
 * Decides what a presented token is worth. `takeProof` uses up its proof; false when it was used before. A store may
 * rotate in a faster way if this rule would: the current token of a grant in good standing.
 */
export type Judge = (
  standing: GrantStanding | null,
  consumption: Consumption,
  takeProof: (consumption: Consumption) => boolean,
) => Verdict;

/**
 * The outcome for a presented refresh token. Besides the two successes, only `reused` changes anything: it revokes the
 * family.
 */
export type ConsumptionOutcome =
  | {
      readonly outcome: 'rotated';
      readonly grant: GrantRecord;
      readonly user: TokenUser;
      readonly accessTokenId: number;
    }
  | {
      /** The immediate predecessor again, within the grace period: `grant.successorSalt` derives the successor. */
      readonly outcome: 'repeated';
      readonly grant: GrantRecord;
      readonly user: TokenUser;
      readonly accessTokenId: number;
    }
  | { readonly outcome: 'reused'; readonly grantId: number }
  | { readonly outcome: 'refused'; readonly reason: ConsumptionRefusal };

/** Every outcome except a rotation. */
export type Untypical = Exclude<ConsumptionOutcome, { readonly outcome: 'rotated' }>;
