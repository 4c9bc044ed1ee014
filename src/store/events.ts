import type { ListPage, ListQuery } from './listing.ts';
import type { StoreVerbs } from './store.ts';
import type { Milliseconds } from './time.ts';

/** An event in the chain of its account. Never changed, never deleted. */
export interface EventRecord {
  readonly accountId: number;
  /** Numbers the account's events: 1, 2, 3 … without a gap. */
  readonly id: number;
  readonly at: Milliseconds;
  readonly action: string;
  readonly outcome: 'success' | 'refused';
  readonly actorType: string;
  /** Null for the command line, the service itself, and an unauthenticated user. */
  readonly actorId: number | null;
  readonly targetType: string;
  readonly targetId: number | null;
  /** The request's address; null when there was no request. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** Further details as JSON text; stored as text because the hash covers its bytes. */
  readonly detail: string;
  /** Covers all of the above and the hash of the previous event. */
  readonly hash: string;
}

/** An event without a place yet. */
export type NewEvent = Omit<EventRecord, 'id' | 'hash'> & {
  /** Computes its hash for its place; `previousHash` is empty for the first event of an account. */
  readonly seal: (id: number, previousHash: string) => string;
};

/** The end of an account's chain. */
interface ChainEnd {
  /** 0 and empty when nothing was ever appended. */
  readonly lastId: number;
  readonly lastHash: string;
  /** The greatest id among the events; it must equal `lastId`. */
  readonly greatestId: number;
}

/** `tx` reads with the changes of the transaction, `committed` without them. */
export type CommitCheck = (tx: StoreVerbs, committed: StoreVerbs) => Promise<void>;

/** Events, append-only: the database refuses to change or delete one. */
export interface EventStore {
  /**
   * Appends to the chain of the event's account; safe with concurrent appends. In a transaction the event is appended
   * at the end, so that nothing waits while the end of the chain is locked.
   */
  append(event: NewEvent): Promise<void>;
  /**
   * In a transaction: runs `check` at its end, once its events are appended, and the transaction has no effect if `check`
   * throws. Whoever appends to a chain that this transaction appends to has committed by then, or waits until this one
   * has. On SQLite, where transactions run one after the other, a look at the beginning says the same, and `check` does
   * not run.
   */
  beforeCommit(check: CommitCheck): Promise<void>;
  /**
   * In a transaction: calls `tell` when nothing is left but to append its last events, to check, and to commit. Where
   * it is tried again, it calls once more.
   */
  atLast(tell: () => void): Promise<void>;
  findEnd(accountId: number): Promise<ChainEnd>;
  /** The oldest events with ids above `id`, oldest first. */
  listAfter(accountId: number, id: number, limit: number): Promise<EventRecord[]>;
  /** The newest events with ids below `id` (null: of all), newest first. */
  listBefore(accountId: number, id: number | null, limit: number): Promise<EventRecord[]>;
  /** Fields: `id`, `created_at`, `action`, `actor_type`, `actor_id`, `target_type`, `target_id` (-1: none). */
  page(accountId: number, query: ListQuery): Promise<ListPage<EventRecord>>;
}
