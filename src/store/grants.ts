import type { AccessLoss } from './access.ts';
import type { AskedClaims } from './authorization-parameters.ts';
import type { TokenClient } from './clients.ts';
import type { Consumption, ConsumptionOutcome } from './consumption.ts';
import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';
import type { TokenUser } from './users.ts';

/** What a user granted a client: one row per family of refresh tokens, updated in place. */
export interface GrantRecord {
  readonly accountId: number;
  readonly id: number;
  readonly appId: number;
  readonly userId: number;
  /** The only API authorization server that it is for; null: all that the client is linked to. */
  readonly serverId: number | null;
  readonly sid: string | null;
  readonly scope: readonly string[];
  readonly nonce: string | null;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  /** Digest of the current refresh token; null when the client does not have the grant type `refresh_token`. */
  readonly currentDigest: string | null;
  /** Digest of its immediate predecessor. */
  readonly previousDigest: string | null;
  /** The salt with which the current token was derived from its predecessor. */
  readonly successorSalt: string | null;
  readonly rotatedAt: Milliseconds | null;
  /** The number of rotations. */
  readonly generation: number;
  readonly idleExpiresAt: Milliseconds;
  readonly absoluteExpiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
  readonly revokedBecause: string | null;
  readonly createdAt: Milliseconds;
}

/** An access token of a user or of a client, opaque or a JWT. */
export interface AccessTokenRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  /** Null for client credentials. */
  readonly grantId: number | null;
  readonly appId: number;
  readonly userId: number | null;
  readonly scope: readonly string[];
  readonly issuedAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** An access token with everything that decides whether it is active. */
export interface AccessTokenStanding {
  readonly token: AccessTokenRecord;
  /** Null for client credentials. */
  readonly grant: GrantRecord | null;
  readonly user: TokenUser | null;
  readonly client: TokenClient;
  /** For a user's token: whether the app is still assigned. */
  readonly assigned: boolean;
}

/** A grant of a client that is linked to API authorization servers. */
export interface GrantForApis extends GrantRecord {
  /** For a grant for any server: its scopes with their servers; null if an older release made it. */
  readonly apiScopes: readonly string[] | null;
}

/** `offlineAccess`: whether it outlives its session; default: no. Tokens do not depend on it. */
type NewGrant = New<GrantRecord> & Partial<Pick<GrantForApis, 'apiScopes'>> & { readonly offlineAccess?: boolean };

/** How many grants of a user the store keeps, live or not. */
interface GrantBounds {
  readonly ofApp: number;
  readonly ofUser: number;
  /** How many are deleted at once, at most. */
  readonly atOnce: number;
}

export interface GrantStore {
  create(grant: NewGrant): Promise<GrantRecord>;
  find(accountId: number, id: number): Promise<GrantRecord | null>;
  findForApis(accountId: number, id: number): Promise<GrantForApis | null>;
  /** Stores the claims that userinfo gives beyond the scope of the grant. */
  saveClaims(accountId: number, id: number, claims: AskedClaims): Promise<void>;
  /** Null: none beyond the scope. */
  findClaims(accountId: number, id: number): Promise<AskedClaims | null>;
  /** The same for several grants, in their order. */
  findClaimsOf(accountId: number, ids: readonly number[]): Promise<(AskedClaims | null)[]>;
  /** Sets the first refresh token of a grant; its text contains the grant's id. */
  setFirstToken(accountId: number, id: number, digest: string): Promise<void>;
  /** Consumes one presented refresh token; see `consumeAll`. */
  consume(consumption: Consumption): Promise<ConsumptionOutcome>;
  /**
   * Consumes presented refresh tokens: one transaction and one durable commit for the whole batch; outcomes in the
   * given order. For each token these checks are made in order: the grant exists and belongs to the client; it is
   * neither revoked nor expired; the digest is the current one (rotate), the previous one within the grace period
   * (repeat), or another (revoke the family); the scope is not wider; the user is active; access is assigned. The
   * caller has checked that the token's text is authentic, so an unknown digest is an older token of the family. A
   * rotation, repetition or revocation uses up the proof, and is refused if the proof was used before. A refusal does
   * not store the proof.
   */
  consumeAll(batch: readonly Consumption[]): Promise<ConsumptionOutcome[]>;
  /** The first reason stays: false when it was revoked before. */
  revoke(accountId: number, id: number, at: Milliseconds, because: string): Promise<boolean>;
  revokeOfUser(accountId: number, userId: number, at: Milliseconds, because: string): Promise<number>;
  /** The same for one of the user's apps. */
  revokeOfUserApp(accountId: number, userId: number, appId: number, at: Milliseconds, because: string): Promise<number>;
  /** The same for grants of one session that end with it; a grant of an older release does not. */
  revokeOfSession(accountId: number, userId: number, sid: string, at: Milliseconds, because: string): Promise<number>;
  /** Whether there are live grants that `revokeOfSession` would revoke. */
  hasOfSession(accountId: number, userId: number, sid: string, now: Milliseconds): Promise<boolean>;
  /** Detaches grants from their user's sessions, which were ended. */
  outliveSessions(accountId: number, userId: number): Promise<void>;
  /** Revokes all except those of one session. */
  revokeOfUserElsewhere(
    accountId: number,
    userId: number,
    sid: string,
    at: Milliseconds,
    because: string,
  ): Promise<number>;
  /**
   * Makes room for one more grant of a user and app: deletes the rows that would be beyond the bounds with it, first
   * those that were revoked, then the longest unused. Answers how many of them were not revoked before.
   */
  makeRoom(
    accountId: number,
    { userId, appId }: Pick<GrantRecord, 'userId' | 'appId'>,
    bounds: GrantBounds,
  ): Promise<number>;
  /** A user's grants that were not revoked and have not expired, oldest first. */
  listLive(accountId: number, userId: number, now: Milliseconds): Promise<GrantRecord[]>;
  /** One of them. */
  findLive(accountId: number, userId: number, id: number, now: Milliseconds): Promise<GrantRecord | null>;
  /** The same, by `id` or of one `app_id`. */
  pageLive(accountId: number, userId: number, now: Milliseconds, query: ListQuery): Promise<ListPage<GrantRecord>>;
  /** Revokes those of these live grants whose user is no longer assigned to the app. */
  revokeUnassigned(accountId: number, loss: AccessLoss, at: Milliseconds): Promise<number>;
  addAccessToken(token: New<AccessTokenRecord>): Promise<AccessTokenRecord>;
  /** Adds several with one durable commit, in the order given. */
  addAccessTokens(tokens: readonly New<AccessTokenRecord>[]): Promise<AccessTokenRecord[]>;
  findAccessToken(accountId: number, id: number): Promise<AccessTokenStanding | null>;
  /** In the order of the ids. */
  findAccessTokens(accountId: number, ids: readonly number[]): Promise<(AccessTokenStanding | null)[]>;
  /** False when it was revoked before. */
  revokeAccessToken(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
}
