import type { ListPage, ListQuery } from './listing.ts';
import type { Milliseconds } from './time.ts';

/** Something that happened in an account, in its place in the account's chain. Never changed, never deleted. */
export interface EventRecord {
  readonly accountId: number;
  /** Counts the account's events: 1, 2, 3 … without a gap. */
  readonly id: number;
  readonly at: Milliseconds;
  readonly action: string;
  readonly outcome: 'success' | 'refused';
  readonly actorType: string;
  /** Null for the command line, for the service itself, and for somebody who did not show who they are. */
  readonly actorId: number | null;
  readonly targetType: string;
  readonly targetId: number | null;
  /** Address the request came from; null when there was no request. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** What there is to say beyond that, as JSON text; kept as text, for the hash is over its bytes. */
  readonly detail: string;
  /** Over all of the above and the hash of the event before. */
  readonly hash: string;
}

/** An event that has no place yet. */
export type NewEvent = Omit<EventRecord, 'id' | 'hash'> & {
  /** Its hash in the place it gets; `previousHash` is empty for the first event of an account. */
  readonly seal: (id: number, previousHash: string) => string;
};

/** Where an account's chain ends. */
interface ChainEnd {
  /** 0 and empty when nothing was ever appended. */
  readonly lastId: number;
  readonly lastHash: string;
  /** The greatest id there is among the events; another one than `lastId` is a fault. */
  readonly greatestId: number;
}

/** What happened, append-only: the database refuses to change or delete an event. */
export interface EventStore {
  /**
   * Appends to the chain of the event's account, whichever process appends at the same time. In a transaction the
   * event is appended at its end, so that nothing is waited for while the end of the chain is locked.
   */
  append(event: NewEvent): Promise<void>;
  findEnd(accountId: number): Promise<ChainEnd>;
  /** The oldest events with ids above `id`, oldest first. */
  listAfter(accountId: number, id: number, limit: number): Promise<EventRecord[]>;
  /** The newest events with ids below `id` (null: of all), newest first. */
  listBefore(accountId: number, id: number | null, limit: number): Promise<EventRecord[]>;
  /** Fields: `created_at`, `action`, `actor_type`, `actor_id`, `target_type`, `target_id` (-1: none). */
  page(accountId: number, query: ListQuery): Promise<ListPage<EventRecord>>;
}
