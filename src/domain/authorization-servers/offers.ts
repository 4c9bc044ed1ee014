/** What API authorization servers offer to clients that are not linked: which of them may ask, and for which scopes. */

import type { Services } from '../../services.ts';
import type { AuthorizationServerRecord, ClientAccess } from '../../store/authorization-servers.ts';
import type { Account } from '../accounts/account.ts';
import { changeScope } from './scopes.ts';
import { changeServer, pageServers, requireServer } from './servers.ts';
import { invalid } from './values.ts';

const serversAtOnce = 1000;
const longestShown = 64;

export interface Offer
  extends Pick<AuthorizationServerRecord, 'id' | 'name' | 'resourceIdentifier' | 'clientAccess' | 'resourceMetadata'> {
  /** Values of the scopes that are open. */
  readonly open: readonly string[];
}

/** What changes; what is left out stays. */
interface OfferChanges {
  readonly clientAccess?: ClientAccess | undefined;
  /** All scopes that are to be open. */
  readonly open?: readonly string[] | undefined;
  readonly resourceMetadata?: boolean | undefined;
}

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** All servers of the account, by id. */
export async function listOffers(services: Pick<Services, 'store'>, account: Owner): Promise<readonly Offer[]> {
  const sort = { field: 'id', descending: false };
  const offers: Offer[] = [];
  for (let page = 1; ; page += 1) {
    const query = { sort, filters: [], limit: serversAtOnce, at: { page } };
    const { items } = await pageServers(services, account, query);
    for (const server of items) offers.push(await offerOf(services, account, server));
    if (items.length < serversAtOnce) return offers;
  }
}

/**
 * Changes what a server offers. Throws `not_found`, and `value_invalid` for a scope that the server does not have: then
 * nothing is changed.
 */
export async function changeOffer(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Audited,
  serverId: number,
  { clientAccess, open, resourceMetadata }: OfferChanges,
): Promise<Offer> {
  await requireServer(services.store, account, serverId);
  const scopes = await services.store.authorizationServers.listScopes(account.id, serverId);
  const unknown = open?.find((one) => !scopes.some(({ value }) => value === one));
  if (unknown !== undefined) {
    throw invalid('open', `names ${unknown.slice(0, longestShown)}, which is not a scope of this API`);
  }
  if (resourceMetadata !== undefined) await changeServer(services, account, serverId, { resourceMetadata });
  // An API that opens has its scopes by then, and one that closes opens none any more.
  if (clientAccess === 'linked') await changeServer(services, account, serverId, { clientAccess });
  for (const scope of scopes) {
    const isOpen = open?.includes(scope.value) ?? scope.open;
    if (isOpen !== scope.open) await changeScope(services, account, serverId, scope.id, { open: isOpen });
  }
  if (clientAccess === 'consent') await changeServer(services, account, serverId, { clientAccess });
  return offerOf(services, account, await requireServer(services.store, account, serverId));
}

async function offerOf(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  { id, name, resourceIdentifier, clientAccess, resourceMetadata }: AuthorizationServerRecord,
): Promise<Offer> {
  const scopes = await store.authorizationServers.listScopes(account.id, id);
  const open = scopes.filter((scope) => scope.open).map(({ value }) => value);
  return { id, name, resourceIdentifier, clientAccess, open, resourceMetadata };
}
