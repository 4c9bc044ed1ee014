/** The index by which users are searched for any part of a text: it is kept behind the writes, and by them. */

/** What one step did. */
export interface IndexedSlice {
  /** Users. */
  readonly indexed: number;
  /** Nobody else waits. */
  readonly isLast: boolean;
  /** Why the index cannot be made, as the database says it; told once. */
  readonly refused?: string;
}

/**
 * What PostgreSQL lacks for the index: `pg_trgm` is not installed; the role may not create it; a pooler shares out
 * transactions, in which no index is made while others write.
 */
export type SearchLack = 'extension' | 'right_to_create_extension' | 'direct_connection';

/** How searching for a part of a text stands; what a search answers does not depend on it. */
export interface SearchStanding {
  /**
   * `ready`: the index has everybody; `building`: others are read one by one meanwhile; `missing`: nobody is in one,
   * and there are many; `unneeded`: there are few.
   */
  readonly state: 'ready' | 'building' | 'missing' | 'unneeded';
  /** Why it is missing, where that is known beforehand. */
  readonly lack: SearchLack | null;
}

export interface SearchIndex {
  /**
   * Continues the index: up to `limit` users on SQLite, fewer if they take more than a few milliseconds. On PostgreSQL,
   * which keeps it by itself, it is made if it is missing, while others read and write; `signal` ends that.
   */
  indexUsers(limit: number, signal: AbortSignal): Promise<IndexedSlice>;
  findSearchStanding(): Promise<SearchStanding>;
}
