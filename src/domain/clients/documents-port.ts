import type { Account } from '../accounts/account.ts';
import type { ClientMetadata } from './metadata.ts';

/** What a metadata document makes of its client; `fault`: what is wrong with it, worded after “its document”. */
export type DocumentRead = { readonly metadata: ClientMetadata } | { readonly fault: string };

/**
 * The metadata documents of clients whose `client_id` is an https URL, fetched when needed and cached in memory, by the
 * headers of the response within bounds. A fetch counts towards `limit.client-metadata` of the source.
 */
export interface ClientDocuments {
  /**
   * The document as it is now. Throws `rate_limited`, and `unavailable` if the address was not asked because too many
   * requests are under way.
   */
  read(account: Account, url: string): Promise<DocumentRead>;
  /** The same for what has begun: the last good one, of at most 24 hours ago, if the address gives none or is not asked. */
  readLast(account: Account, url: string): Promise<DocumentRead>;
}
