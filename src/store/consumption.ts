/** A refresh token is presented: what with, and what becomes of it. */

import type { AssertionRecord } from './clients.ts';
import type { NewEvent } from './events.ts';
import type { GrantRecord } from './grants.ts';
import type { Milliseconds } from './time.ts';
import type { TokenUser } from './users.ts';

/** The part of a new access token that the domain decides; the store gives it its id. */
export interface NewAccessToken {
  readonly digest: string;
  readonly issuedAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** One presented refresh token, with its successor ready. */
export interface Consumption {
  readonly accountId: number;
  readonly grantId: number;
  /** The client that presents it. */
  readonly appId: number;
  readonly presentedDigest: string;
  /** A narrower scope for the access token; null: the grant's. */
  readonly scope: readonly string[] | null;
  readonly now: Milliseconds;
  /** How long the direct predecessor still gets the same successor. */
  readonly graceMilliseconds: number;
  readonly successorDigest: string;
  /** What the successor was derived with from the presented token. */
  readonly successorSalt: string;
  readonly idleExpiresAt: Milliseconds;
  readonly accessToken: NewAccessToken;
  /**
   * What is kept of the proof of a key that came with it (RFC 9449), used up in the same commit unless it is refused.
   */
  readonly proof: AssertionRecord | null;
  readonly judge: Judge;
  /** What the trail says of it, in the same commit; null: nothing. A rotation is not told of. */
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

/** A grant with what decides about its use, as read under its row's lock. */
export interface GrantStanding {
  readonly grant: GrantRecord;
  readonly user: TokenUser;
  /** Whether the app is assigned to the user. */
  readonly assigned: boolean;
}

/** `rotate`, `repeat` (the successor again) and `reuse` (revoke the family) change something; the rest refuses. */
export type Verdict = 'rotate' | 'repeat' | 'reuse' | ConsumptionRefusal;

/**
 * Decides what a presented token is worth. `takeProof` uses up the proof that came with it; false when it was used
 * before. A store may rotate by a rule of its own what this one would: the current token of a grant in good standing.
 */
export type Judge = (
  standing: GrantStanding | null,
  consumption: Consumption,
  takeProof: (consumption: Consumption) => boolean,
) => Verdict;

/**
 * What became of a presented refresh token. Only `reused` changes anything beside the two successes: it revokes the
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
      /**
       * The direct predecessor again, within the grace: the successor is the one that `grant.successorSalt` derives.
       */
      readonly outcome: 'repeated';
      readonly grant: GrantRecord;
      readonly user: TokenUser;
      readonly accessTokenId: number;
    }
  | { readonly outcome: 'reused'; readonly grantId: number }
  | { readonly outcome: 'refused'; readonly reason: ConsumptionRefusal };

/** Every outcome but the usual one. */
export type Untypical = Exclude<ConsumptionOutcome, { readonly outcome: 'rotated' }>;
