import type { ClientRecord } from './clients.ts';
import type { Milliseconds } from './time.ts';

/** A pending notice to a client that one of its sessions ended. */
export interface NoticeRecord {
  readonly accountId: number;
  readonly id: number;
  readonly appId: number;
  /** The user, as the client knows them. */
  readonly subject: string;
  readonly sid: string;
  /** The host of the client's address, as in a URL, with the port if it is not the default one. */
  readonly host: string;
  readonly registeredBy: ClientRecord['registeredBy'];
  /** Number of attempts so far. */
  readonly attempts: number;
  readonly dueAt: Milliseconds;
}

/**
 * The ending sessions of a user: one of them, or all except the one with the `sid` `except`. All means those that are
 * open, and those that a live grant began in.
 */
export type EndedSessions =
  | { readonly userId: number; readonly sid: string }
  | { readonly userId: number; readonly except: string | null };

/** Notices that must not be sent now. */
export interface NoticeExcept {
  /** Of these accounts. */
  readonly accounts: readonly number[];
  /** To these clients. */
  readonly clients: readonly Pick<NoticeRecord, 'accountId' | 'appId'>[];
  /** To these hosts, each for clients registered in this way. */
  readonly hosts: readonly Pick<NoticeRecord, 'accountId' | 'host' | 'registeredBy'>[];
  /** To open-registered clients of these accounts. */
  readonly openOf: readonly number[];
}

/** Notices to clients, until they are delivered. */
export interface NoticeStore {
  /**
   * Adds a notice for each session that ends and each client that got tokens in it and wants notices; returns how many.
   * Uses as many statements for one session as for thousands. Must run before grants are revoked, because sessions are
   * found through them.
   */
  addForSessions(
    accountId: number,
    ended: EndedSessions,
    subjectFor: (client: Pick<ClientRecord, 'sector'>) => string,
    at: Milliseconds,
  ): Promise<number>;
  /**
   * Claims due notices that are not excluded, each for one caller: they are due again at `until`, and an attempt is
   * counted.
   */
  claim(now: Milliseconds, until: Milliseconds, limit: number, except?: NoticeExcept): Promise<NoticeRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
}
