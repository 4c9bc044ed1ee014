import type { AccessLoss } from './access.ts';
import type { AuthorizationParameters } from './authorization-parameters.ts';
import type { ListPage, ListQuery } from './listing.ts';
import type { SessionRecord } from './sessions.ts';
import type { SignInTraitsRecord } from './sign-in-histories.ts';
import type { Milliseconds } from './time.ts';

/** A pushed authorization request: used once, by its client. */
export interface PushedRequestRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly appId: number;
  /** As sent, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly expiresAt: Milliseconds;
}

/** A user's consent to an app. */
export interface ConsentRecord {
  readonly appId: number;
  readonly scope: readonly string[];
  readonly allowedAt: Milliseconds;
}

/** A sign-in in progress, bound to one browser. */
export interface AuthorizationRequestRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly browserDigest: string;
  /** Null for the account pages, which are not an app. */
  readonly appId: number | null;
  readonly parameters: AuthorizationParameters;
  /** When the user signed in for this request; null until then. */
  readonly authenticatedAt: Milliseconds | null;
  /**
   * The `sid` of the session that the sign-in opened, which belongs to that user only; null also where an older release
   * signed the user in.
   */
  readonly sid: string | null;
  /** The user's decision on the consent page; null until then. */
  readonly decision: 'allow' | 'deny' | null;
  /** The user who decided; the decision does not apply to other users of the browser. */
  readonly decidedBy: number | null;
  /** The user who gave the right password for this request and must do something else before being signed in. */
  readonly passwordUserId: number | null;
  /** When the user gave it. */
  readonly passwordCheckedAt: Milliseconds | null;
  /** The policy that a hook chose for this sign-in; null: none. */
  readonly hookPolicyId: number | null;
  /** The user it was chosen for; it does not apply to other users of the browser. */
  readonly hookPolicyUserId: number | null;
  /** The traits to store once the sign-in succeeds, for the risk of later ones; null: none. */
  readonly hookTraits: SignInTraitsRecord | null;
  /** How the user has authenticated so far, in the form of the session; null without a password. */
  readonly methods: readonly string[] | null;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** An authorization code: used once, with the client, redirect URI and verifier that it was made for. */
export interface CodeRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly appId: number;
  readonly userId: number;
  readonly sid: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  readonly parameters: AuthorizationParameters;
  /** When the user approved it; null if an older release made it. */
  readonly createdAt: Milliseconds | null;
  readonly expiresAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** The grant that its use created: revoked when the code is used again. */
  readonly grantId: number | null;
}

/** The progress of a user who gave the right password and is not signed in yet. */
export interface FirstFactor {
  readonly userId: number;
  readonly checkedAt: Milliseconds;
  /** How the user has authenticated so far. */
  readonly methods: readonly string[];
}

/**
 * Which codes, approved devices and sign-ins in progress: all of a user, those approved in one session, those for one
 * app, or those for an app that their user may no longer use.
 */
export type InFlight =
  | { readonly userId: number }
  | { readonly userId: number; readonly sid: string }
  | { readonly userId: number; readonly appId: number }
  | { readonly unassigned: AccessLoss };

export interface AuthorizationStore {
  /** Stores a pushed request. */
  push(request: PushedRequestRecord): Promise<PushedRequestRecord>;
  /** Stores several with one durable commit. */
  pushAll(requests: readonly PushedRequestRecord[]): Promise<PushedRequestRecord[]>;
  /** The request of this client, expired or not; null also when `finishRequest` has ended it. */
  findPushed(accountId: number, appId: number, digest: string): Promise<PushedRequestRecord | null>;
  createRequest(request: AuthorizationRequestRecord): Promise<void>;
  /** Null also when it has ended. */
  findRequest(accountId: number, digest: string): Promise<AuthorizationRequestRecord | null>;
  /** Whether `finishRequest` has ended it. */
  hasEnded(accountId: number, digest: string): Promise<boolean>;
  /**
   * Marks the request as signed in with the session that was opened for it, clears a decision and the progress of the
   * sign-in, and binds it to the browser's new secret. Null for `opened`: a signed-in user has only given another
   * factor. This and the three functions below store the request if it is not stored yet.
   */
  signIn(
    request: AuthorizationRequestRecord,
    opened: Pick<SessionRecord, 'sid' | 'authenticatedAt'> | null,
    browserDigest: string,
  ): Promise<void>;
  /** Stores the progress of an unfinished sign-in, and binds the request to the browser's new secret. */
  keepFirstFactor(request: AuthorizationRequestRecord, first: FirstFactor, browserDigest: string): Promise<void>;
  /** Stores with the request what hooks decided for this user's sign-in. */
  keepFiring(
    request: AuthorizationRequestRecord,
    fired: Pick<AuthorizationRequestRecord, 'hookPolicyId' | 'hookPolicyUserId' | 'hookTraits'>,
  ): Promise<void>;
  /** Keeps what a user decided; `apiScopes`: what of APIs it is about. */
  decide(
    request: AuthorizationRequestRecord,
    decision: 'allow' | 'deny',
    userId: number,
    apiScopes: readonly string[],
  ): Promise<void>;
  /** Ends a request, stored or not, or a pushed one: true for exactly one caller. */
  finishRequest(request: Pick<AuthorizationRequestRecord, 'accountId' | 'digest' | 'expiresAt'>): Promise<boolean>;
  /**
   * Ends the requests in which such a user gave a first factor or decided, except the one with the digest `except`.
   * Requests do not name a session, so none is ended by one.
   */
  endRequests(accountId: number, whose: InFlight, except?: string): Promise<void>;
  createCode(code: CodeRecord): Promise<void>;
  findCode(accountId: number, digest: string): Promise<CodeRecord | null>;
  /** Uses a code up (one conditional UPDATE): true for exactly one caller, before `expiresAt`. */
  consumeCode(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Ends codes that were not used. */
  endCodes(accountId: number, whose: InFlight): Promise<void>;
  /** Stores the grant that the use of a code created. */
  linkCode(accountId: number, digest: string, grantId: number): Promise<void>;
  /** The scopes that the user has allowed this client. */
  findConsent(accountId: number, userId: number, appId: number): Promise<readonly string[] | null>;
  saveConsent(
    accountId: number,
    userId: number,
    appId: number,
    scope: readonly string[],
    at: Milliseconds,
  ): Promise<void>;
  /** All consents of the user. */
  listConsents(accountId: number, userId: number): Promise<ConsentRecord[]>;
  /** The user's consents to apps that are there, by `app_id`. */
  pageConsents(accountId: number, userId: number, query: ListQuery): Promise<ListPage<ConsentRecord>>;
  /** False when there is none. */
  removeConsent(accountId: number, userId: number, appId: number): Promise<boolean>;
}
