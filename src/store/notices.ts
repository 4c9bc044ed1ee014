import type { ClientRecord } from './clients.ts';
import type { Milliseconds } from './time.ts';

/** What a client is still to be told: that a session of its ended. */
export interface NoticeRecord {
  readonly accountId: number;
  readonly id: number;
  readonly appId: number;
  /** The user, as the client knows them. */
  readonly subject: string;
  readonly sid: string;
  /** Where the client is told, as in a URL: with its port, where it is not the usual one. */
  readonly host: string;
  readonly registeredBy: ClientRecord['registeredBy'];
  /** How often it was tried. */
  readonly attempts: number;
  readonly dueAt: Milliseconds;
}

/**
 * Sessions of a user that end: one of them, or all but the one with the `sid` `except`. All are those that are open,
 * and those that a live grant began in.
 */
export type EndedSessions =
  | { readonly userId: number; readonly sid: string }
  | { readonly userId: number; readonly except: string | null };

/** Notices that are not to be sent now. */
export interface NoticeExcept {
  /** Of these accounts. */
  readonly accounts: readonly number[];
  /** To these clients. */
  readonly clients: readonly Pick<NoticeRecord, 'accountId' | 'appId'>[];
  /** To these hosts, each for those who were registered as said. */
  readonly hosts: readonly Pick<NoticeRecord, 'accountId' | 'host' | 'registeredBy'>[];
  /** To clients of these accounts that registered in the open. */
  readonly openOf: readonly number[];
}

/** What clients are to be told, until they have heard. */
export interface NoticeStore {
  /**
   * One for each session that ends and each client that got tokens in it and wants to be told; answers how many. As
   * many statements for one session as for thousands; before grants are revoked, for sessions are found by them.
   */
  addForSessions(
    accountId: number,
    ended: EndedSessions,
    subjectFor: (client: Pick<ClientRecord, 'sector'>) => string,
    at: Milliseconds,
  ): Promise<number>;
  /**
   * Those that are due and not excepted, each for one caller: they are due again at `until`, and an attempt is counted.
   */
  claim(now: Milliseconds, until: Milliseconds, limit: number, except?: NoticeExcept): Promise<NoticeRecord[]>;
  postpone(accountId: number, id: number, dueAt: Milliseconds): Promise<void>;
  /** False when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
}
