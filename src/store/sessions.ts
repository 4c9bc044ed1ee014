import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A browser's signed-in session. */
export interface SessionRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  /** Names the session, and is the `sid` claim of clients without a sector; opens nothing. */
  readonly sid: string;
  readonly userId: number;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  readonly lastSeenAt: Milliseconds;
  /** How long it lasts unused. */
  readonly idleMilliseconds: Milliseconds;
  readonly expiresAt: Milliseconds;
  /** Address that its sign-in came from; null where that was not kept. */
  readonly source: string | null;
  /** What the browser said of itself then. */
  readonly userAgent: string | null;
}

/** Where a session was begun may not be known. */
type NewSession = New<SessionRecord, 'source' | 'userAgent'> & Partial<Pick<SessionRecord, 'source' | 'userAgent'>>;

export interface SessionStore {
  create(session: NewSession): Promise<SessionRecord>;
  find(accountId: number, digest: string): Promise<SessionRecord | null>;
  touch(accountId: number, id: number, lastSeenAt: Milliseconds): Promise<void>;
  /** Keeps that the session was used for the app, for as long as the session may last; idempotent. */
  noteUse(session: Pick<SessionRecord, 'accountId' | 'sid' | 'expiresAt'>, appId: number): Promise<void>;
  isUsedFor(accountId: number, sid: string, appId: number): Promise<boolean>;
  /** Forgets for which apps it was used. */
  forgetUses(accountId: number, sid: string): Promise<void>;
  /** Keeps all that is new of a session, its digest too: id and `sid` stay. False when there is none. */
  renew(session: SessionRecord): Promise<boolean>;
  /** By its `sid`, which stays when its digest changes; false when there is none. */
  end(accountId: number, userId: number, sid: string): Promise<boolean>;
  /** Whether a session of the user's has this name. */
  has(accountId: number, userId: number, sid: string): Promise<boolean>;
  /** All of them, but for the one with the `sid` `except`. */
  endOfUser(accountId: number, userId: number, except?: string): Promise<void>;
  /** Those that were used last, the last one first, ended or not by their own times; after the first `passingOver`. */
  listOfUser(accountId: number, userId: number, limit: number, passingOver?: number): Promise<SessionRecord[]>;
}
