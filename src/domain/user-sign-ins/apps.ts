/** The apps that sessions, consents and grants are for. */

import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';

/** By the app's id; without those that are removed. */
export async function findApps(
  { clients }: Pick<StoreVerbs, 'clients'>,
  account: Pick<Account, 'id'>,
  appIds: readonly number[],
): Promise<ReadonlyMap<number, ClientRecord>> {
  const found = await clients.findByApps(account.id, [...new Set(appIds)]);
  return new Map(found.map((client) => [client.appId, client]));
}
