import type { AuthorizationParameters } from './authorization-parameters.ts';
import type { ListPage, ListQuery } from './listing.ts';
import type { SessionRecord } from './sessions.ts';
import type { Milliseconds } from './time.ts';
import type { UserStatus } from './users.ts';

/** A user of the account who may use the management API. */
export interface AdministratorRecord {
  readonly accountId: number;
  readonly userId: number;
  /** Scopes of the management API. */
  readonly scopes: readonly string[];
  readonly createdAt: Milliseconds;
}

/** What an administrator was given at the console: a code, and then the token that it was redeemed for. */
export interface ConsoleGrantRecord {
  readonly accountId: number;
  /** Of the code. */
  readonly digest: string;
  readonly userId: number;
  /** The session in which it was given. */
  readonly sid: string;
  readonly parameters: AuthorizationParameters;
  /** Null until the code is redeemed; also the thumbprint of the key that the token is bound to. */
  readonly tokenDigest: string | null;
  readonly thumbprint: string | null;
  readonly authenticatedAt: Milliseconds;
  readonly createdAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** Of the code, and then of the token. */
  readonly expiresAt: Milliseconds;
}

/** What a code is redeemed for. */
export type RedeemedGrant = Pick<ConsoleGrantRecord, 'expiresAt'> & {
  readonly tokenDigest: string;
  readonly thumbprint: string;
};

/** A token, and everything that it depends on, as it is now. */
export interface ConsoleTokenStanding {
  readonly grant: ConsoleGrantRecord;
  readonly scopes: readonly string[];
  readonly status: UserStatus;
  readonly session: SessionRecord;
}

export interface AdministratorStore {
  find(accountId: number, userId: number): Promise<AdministratorRecord | null>;
  /** Fields: `user_id`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<AdministratorRecord>>;
  /** All of them, ascending by user; locked until the end of the transaction. */
  lockAll(accountId: number): Promise<AdministratorRecord[]>;
  /** Adds the administrator, or replaces the scopes. */
  put(administrator: AdministratorRecord): Promise<void>;
  /** False when the user is none. */
  remove(accountId: number, userId: number): Promise<boolean>;
  addGrant(grant: ConsoleGrantRecord): Promise<void>;
  /** By its code, used or not. */
  findGrant(accountId: number, digest: string): Promise<ConsoleGrantRecord | null>;
  /** For exactly one caller; false when the code has expired or was used before. */
  redeemGrant(accountId: number, digest: string, redeemed: RedeemedGrant, now: Milliseconds): Promise<boolean>;
  /** With its code and its token. */
  removeGrant(accountId: number, digest: string): Promise<void>;
  /** The same by its token. */
  removeToken(accountId: number, tokenDigest: string): Promise<void>;
  /** Null when there is no such token, and when its user, session or right is gone. */
  findToken(accountId: number, tokenDigest: string): Promise<ConsoleTokenStanding | null>;
  /** False when the proof was used before. */
  useProof(proof: { accountId: number; digest: string; expiresAt: Milliseconds }): Promise<boolean>;
}
