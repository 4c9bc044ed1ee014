import type { AccessLoss } from './access.ts';
import type { AuthorizationParameters } from './authorization-parameters.ts';
import type { SessionRecord } from './sessions.ts';
import type { SignInTraitsRecord } from './sign-in-histories.ts';
import type { Milliseconds } from './time.ts';

/** An authorization request that a client sent ahead: used once, by that client. */
export interface PushedRequestRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly appId: number;
  /** As sent, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly expiresAt: Milliseconds;
}

/** What a user allowed an app. */
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
  /** Null: to the account pages, which are no app. */
  readonly appId: number | null;
  readonly parameters: AuthorizationParameters;
  /** When the user signed in for this request; null until then. */
  readonly authenticatedAt: Milliseconds | null;
  /**
   * Names the session that they got by it, which is that user's alone; null also where an older release signed them in.
   */
  readonly sid: string | null;
  /** What the user decided on the consent page; null until then. */
  readonly decision: 'allow' | 'deny' | null;
  /** Whose decision it was: it counts for no other user of the browser. */
  readonly decidedBy: number | null;
  /** Who gave the right password for this request and has something else to do before they are signed in. */
  readonly passwordUserId: number | null;
  /** When they gave it. */
  readonly passwordCheckedAt: Milliseconds | null;
  /** The policy that a hook chose for this sign-in; null: none. */
  readonly hookPolicyId: number | null;
  /** Whose sign-in it was chosen for: it counts for no other user of the browser. */
  readonly hookPolicyUserId: number | null;
  /** What is remembered of this sign-in once it succeeds, for the risk of later ones; null: nothing. */
  readonly hookTraits: SignInTraitsRecord | null;
  /** How they have shown who they are until now, as the session will say it; null without a password. */
  readonly methods: readonly string[] | null;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** An authorization code: used once, for the client, redirect URI and verifier it was made for. */
export interface CodeRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly appId: number;
  readonly userId: number;
  readonly sid: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  readonly parameters: AuthorizationParameters;
  /** When the user approved it; null where an older release made it. */
  readonly createdAt: Milliseconds | null;
  readonly expiresAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** The grant its use made: revoked when the code is presented again. */
  readonly grantId: number | null;
}

/** How far a user has come who gave the right password and is not signed in yet. */
export interface FirstFactor {
  readonly userId: number;
  readonly checkedAt: Milliseconds;
  /** How they have shown who they are until now. */
  readonly methods: readonly string[];
}

/**
 * Whose codes, devices that were let in and sign-ins in progress: all of a user's, those that one session approved,
 * those for one app, or those for an app that their user may not use any more.
 */
export type InFlight =
  | { readonly userId: number }
  | { readonly userId: number; readonly sid: string }
  | { readonly userId: number; readonly appId: number }
  | { readonly unassigned: AccessLoss };

export interface AuthorizationStore {
  /** Keeps a request that a client sent ahead. */
  push(request: PushedRequestRecord): Promise<void>;
  /** The one of this client, expired or not. */
  findPushed(accountId: number, appId: number, digest: string): Promise<PushedRequestRecord | null>;
  /** Takes it away: true for exactly one caller. */
  takePushed(accountId: number, digest: string): Promise<boolean>;
  createRequest(request: AuthorizationRequestRecord): Promise<void>;
  /** Null also when it has ended. */
  findRequest(accountId: number, digest: string): Promise<AuthorizationRequestRecord | null>;
  /** Whether `finishRequest` has ended it. */
  hasEnded(accountId: number, digest: string): Promise<boolean>;
  /**
   * Marks the request as signed in with the session that was opened for it, forgets a decision and how far the sign-in
   * had come, and binds it to the browser's new identity. Null for `opened`: who was signed in has only shown more of
   * who they are. This and the three that follow store the request as it is given where it is not stored yet.
   */
  signIn(
    request: AuthorizationRequestRecord,
    opened: Pick<SessionRecord, 'sid' | 'authenticatedAt'> | null,
    browserDigest: string,
  ): Promise<void>;
  /** Keeps how far a sign-in has come that is not at its end, and binds the request to the browser's new identity. */
  keepFirstFactor(request: AuthorizationRequestRecord, first: FirstFactor, browserDigest: string): Promise<void>;
  /** Keeps what hooks made of the sign-in of this user in the request. */
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
  /** Ends a request, stored or not: true for exactly one caller. */
  finishRequest(request: Pick<AuthorizationRequestRecord, 'accountId' | 'digest' | 'expiresAt'>): Promise<boolean>;
  /**
   * Ends the requests in which such a user gave a first factor or decided, but for the one with the digest `except`;
   * none by a session, which a request does not name.
   */
  endRequests(accountId: number, whose: InFlight, except?: string): Promise<void>;
  createCode(code: CodeRecord): Promise<void>;
  findCode(accountId: number, digest: string): Promise<CodeRecord | null>;
  /** Uses a code up (one conditional UPDATE): true for exactly one caller, before `expiresAt`. */
  consumeCode(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Ends codes that were not used. */
  endCodes(accountId: number, whose: InFlight): Promise<void>;
  /** Remembers the grant that the use of a code made. */
  linkCode(accountId: number, digest: string, grantId: number): Promise<void>;
  /** Scopes the user allowed this client before. */
  findConsent(accountId: number, userId: number, appId: number): Promise<readonly string[] | null>;
  saveConsent(
    accountId: number,
    userId: number,
    appId: number,
    scope: readonly string[],
    at: Milliseconds,
  ): Promise<void>;
  /** All that the user allowed. */
  listConsents(accountId: number, userId: number): Promise<ConsentRecord[]>;
  /** False when there is none. */
  removeConsent(accountId: number, userId: number, appId: number): Promise<boolean>;
}
