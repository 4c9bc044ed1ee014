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
  const found = new Map<number, ClientRecord>();
  for (const appId of new Set(appIds)) {
    const client = await clients.findByApp(account.id, appId);
    if (client) found.set(appId, client);
  }
  return found;
}
