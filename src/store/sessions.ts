import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A browser's signed-in session. */
export interface SessionRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  /** The session's name, and the `sid` claim for clients without a sector; opens nothing. */
  readonly sid: string;
  readonly userId: number;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  readonly lastSeenAt: Milliseconds;
  /** Idle time after which it ends. */
  readonly idleMilliseconds: Milliseconds;
  readonly expiresAt: Milliseconds;
  /** The address of its sign-in; null if it was not stored. */
  readonly source: string | null;
  /** The browser's User-Agent at that time. */
  readonly userAgent: string | null;
}

/** Where a session was begun may not be known. */
type NewSession = New<SessionRecord, 'source' | 'userAgent'> & Partial<Pick<SessionRecord, 'source' | 'userAgent'>>;

export interface SessionStore {
  create(session: NewSession): Promise<SessionRecord>;
  find(accountId: number, digest: string): Promise<SessionRecord | null>;
  touch(accountId: number, id: number, lastSeenAt: Milliseconds): Promise<void>;
  /** Stores that the session was used for the app, for as long as the session may last; idempotent. */
  noteUse(session: Pick<SessionRecord, 'accountId' | 'sid' | 'expiresAt'>, appId: number): Promise<void>;
  isUsedFor(accountId: number, sid: string, appId: number): Promise<boolean>;
  /** Clears the record of the apps it was used for. */
  forgetUses(accountId: number, sid: string): Promise<void>;
  /** Stores all changes of a session, including its digest; id and `sid` stay. False when there is none. */
  renew(session: SessionRecord): Promise<boolean>;
  /** By its `sid`, which stays when its digest changes; false when there is none. */
  end(accountId: number, userId: number, sid: string): Promise<boolean>;
  /** The user's session of this name. */
  findByName(accountId: number, userId: number, sid: string): Promise<SessionRecord | null>;
  findOfUser(accountId: number, userId: number, id: number): Promise<SessionRecord | null>;
  /** The user's sessions that are live by their own times, by `id`. */
  pageOfUser(accountId: number, userId: number, now: Milliseconds, query: ListQuery): Promise<ListPage<SessionRecord>>;
  /** The apps that sessions of a user were used for, as far as grants or stored uses tell: by `sid`, then by app. */
  listUses(
    accountId: number,
    userId: number,
    sids: readonly string[],
  ): Promise<{ readonly sid: string; readonly appId: number }[]>;
  /** All of them, except the one with the `sid` `except`. */
  endOfUser(accountId: number, userId: number, except?: string): Promise<void>;
  /** Those that were used last, the last one first, ended or not by their own times; after the first `passingOver`. */
  listOfUser(accountId: number, userId: number, limit: number, passingOver?: number): Promise<SessionRecord[]>;
}
