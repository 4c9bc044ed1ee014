/** What clients may know of an API before they have a token for it (RFC 9728). */

import type { Services } from '../../services.ts';
import type { AuthorizationServerRecord } from '../../store/authorization-servers.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { invalid } from './values.ts';

interface PublicServer extends Pick<AuthorizationServerRecord, 'name' | 'resourceIdentifier'> {
  /** Those that a client can ask for. */
  readonly scopes: readonly string[];
}

const largestId = 2_147_483_647;

/**
 * The API with this number, in decimal digits. Throws `not_found` also where the API does not have its metadata
 * answered: strangers do not learn which APIs there are.
 */
export async function readPublicServer(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  id: string,
): Promise<PublicServer> {
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : 0;
  const isNumber = number > 0 && number <= largestId;
  const server = isNumber ? await store.authorizationServers.find(account.id, number) : null;
  if (!server?.resourceMetadata) throw new Failure('not_found');
  const all = await store.authorizationServers.listScopes(account.id, server.id);
  const offered = server.clientAccess === 'consent' ? all.filter(({ open }) => open) : all;
  return { ...server, scopes: offered.map(({ value }) => value) };
}

/** Throws `value_invalid` when metadata would be answered for what is no web address (RFC 9728 §1.2). */
export function requireWebAddress({
  resourceMetadata,
  resourceIdentifier,
}: Pick<AuthorizationServerRecord, 'resourceMetadata' | 'resourceIdentifier'>): void {
  if (!resourceMetadata || /^https?:\/\/[^/]/i.test(resourceIdentifier)) return;
  throw invalid(
    'resource_metadata',
    'needs a resource_identifier that is a web address, such as https://api.example.com',
  );
}
