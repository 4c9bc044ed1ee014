import type { AccessLoss } from './access.ts';
import type { AskedClaims } from './authorization-parameters.ts';
import type { TokenClient } from './clients.ts';
import type { Consumption, ConsumptionOutcome } from './consumption.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';
import type { TokenUser } from './users.ts';

/** What a user granted a client: one row per family of refresh tokens, updated in place. */
export interface GrantRecord {
  readonly accountId: number;
  readonly id: number;
  readonly appId: number;
  readonly userId: number;
  /** The one API authorization server it is for; null: any that the client is linked to. */
  readonly serverId: number | null;
  readonly sid: string | null;
  readonly scope: readonly string[];
  readonly nonce: string | null;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  /** Digest of the live refresh token; null when the client has no `refresh_token` grant. */
  readonly currentDigest: string | null;
  /** Digest of its direct predecessor. */
  readonly previousDigest: string | null;
  /** What the live token was derived with from its predecessor. */
  readonly successorSalt: string | null;
  readonly rotatedAt: Milliseconds | null;
  /** How often it rotated. */
  readonly generation: number;
  readonly idleExpiresAt: Milliseconds;
  readonly absoluteExpiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
  readonly revokedBecause: string | null;
  readonly createdAt: Milliseconds;
}

/** An access token of a user or of a client, opaque or a JWT: what decides whether it is active. */
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

/** An access token with all that decides whether it is active. */
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
  /** Of one for any server: its scopes, each with its server; null where an older release made it. */
  readonly apiScopes: readonly string[] | null;
}

/** `offlineAccess`: whether it outlives its session; not, unless said. No token is made from that. */
type NewGrant = New<GrantRecord> & Partial<Pick<GrantForApis, 'apiScopes'>> & { readonly offlineAccess?: boolean };

/** How many grants of a user the store keeps, live or not. */
export interface GrantBounds {
  readonly ofApp: number;
  readonly ofUser: number;
  /** How many are deleted at once, at most. */
  readonly atOnce: number;
}

export interface GrantStore {
  create(grant: NewGrant): Promise<GrantRecord>;
  find(accountId: number, id: number): Promise<GrantRecord | null>;
  findForApis(accountId: number, id: number): Promise<GrantForApis | null>;
  /** Keeps the claims that userinfo gives beyond the scope of the grant. */
  saveClaims(accountId: number, id: number, claims: AskedClaims): Promise<void>;
  /** Null: none beyond the scope. */
  findClaims(accountId: number, id: number): Promise<AskedClaims | null>;
  /** Sets the first refresh token of a grant, whose text holds the grant's id. */
  setFirstToken(accountId: number, id: number, digest: string): Promise<void>;
  /** Consumes one presented refresh token, as `consumeAll` does. */
  consume(consumption: Consumption): Promise<ConsumptionOutcome>;
  /**
   * Consumes presented refresh tokens: one transaction and one durable commit for the whole batch, in the order given;
   * outcomes in the same order. For each: the grant exists and belongs to the client; is neither revoked nor
   * expired; the digest is the current one (rotate), or the previous one within the grace (repeat), or anything else
   * (revoke the family); the scope is not wider; the user is active; access is assigned. Checks in this order; the
   * caller has checked that the token's text is authentic, so that an unknown digest is an older token of the family.
   * A proof is used up by what rotates, repeats or revokes, and refuses it where it was used before; what is refused
   * leaves nothing of its proof.
   */
  consumeAll(batch: readonly Consumption[]): Promise<ConsumptionOutcome[]>;
  /** The first reason stays: false when it was revoked before. */
  revoke(accountId: number, id: number, at: Milliseconds, because: string): Promise<boolean>;
  revokeOfUser(accountId: number, userId: number, at: Milliseconds, because: string): Promise<number>;
  /** The same for one app of the user's. */
  revokeOfUserApp(accountId: number, userId: number, appId: number, at: Milliseconds, because: string): Promise<number>;
  /** The same for those of one session that do not outlive it; one that an older release made does. */
  revokeOfSession(accountId: number, userId: number, sid: string, at: Milliseconds, because: string): Promise<number>;
  /** Whether there are live ones that `revokeOfSession` would revoke. */
  hasOfSession(accountId: number, userId: number, sid: string, now: Milliseconds): Promise<boolean>;
  /** A user's sessions were ended, and the grants go on without them. */
  outliveSessions(accountId: number, userId: number): Promise<void>;
  /** Revokes all but those of one session. */
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
  /** Revokes those of these live grants whose user is no longer assigned to the app. */
  revokeUnassigned(accountId: number, loss: AccessLoss, at: Milliseconds): Promise<number>;
  /** Revokes the live grants that are for this API authorization server alone, of one app or of all that are linked. */
  revokeOfServer(accountId: number, serverId: number, appId: number | null, at: Milliseconds): Promise<number>;
  addAccessToken(token: New<AccessTokenRecord>): Promise<AccessTokenRecord>;
  /** Adds several with one durable commit, in the order given. */
  addAccessTokens(tokens: readonly New<AccessTokenRecord>[]): Promise<AccessTokenRecord[]>;
  findAccessToken(accountId: number, id: number): Promise<AccessTokenStanding | null>;
  /** False when it was revoked before. */
  revokeAccessToken(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
}
