import type { AccessTokenRecord } from '../../../store/grants.ts';
import type { StoreVerbs } from '../../../store/store.ts';

/** Stores an access token that another one was exchanged for (RFC 8693). */
export function addExchangedToken(
  tx: Pick<StoreVerbs, 'grants'>,
  row: Omit<AccessTokenRecord, 'id'>,
): Promise<AccessTokenRecord> {
  return tx.grants.addAccessToken(row);
}
