/** Within which sector clients know users by the same subject (OpenID Connect Core §8.1, Registration §5). */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { invalid } from './extra-metadata.ts';
import { fetchForClient } from './fetch-for-client.ts';
import type { ClientMetadata } from './metadata.ts';

const mostBytes = 65_536;
const name = 'sector_identifier_uri';

/**
 * The metadata with the sector of a pairwise client: the host of its `sector_identifier_uri`, at which all its redirect
 * URIs must be listed, else the one host of these. It is fetched here, as the setting EGRESS permits, and never again; for
 * a client whose subjects are public nothing is fetched. Throws `client_metadata_invalid`.
 */
export async function withSector(
  services: Pick<Services, 'egress'>,
  account: Account,
  metadata: ClientMetadata,
  registeredBy: ClientRecord['registeredBy'],
): Promise<ClientMetadata> {
  if (metadata.subjectType === 'public') return metadata;
  const { redirectUris, extra } = metadata;
  const uri = extra.sector_identifier_uri;
  if (uri !== undefined) {
    const listed = await fetchList(services, account.id, uri, registeredBy);
    const missing = redirectUris.findIndex((one) => !listed.includes(one));
    if (missing >= 0) throw invalid(name, `does not list redirect_uris[${missing}]`);
    return { ...metadata, sector: new URL(uri).hostname };
  }
  const [host, ...more] = new Set(redirectUris.map((one) => new URL(one).hostname));
  if (!host || more.length > 0)
    throw invalid(name, 'is required for pairwise subjects unless all redirect_uris have the same host');
  return { ...metadata, sector: host };
}

async function fetchList(
  { egress }: Pick<Services, 'egress'>,
  accountId: number,
  url: string,
  registeredBy: ClientRecord['registeredBy'],
): Promise<readonly unknown[]> {
  const result = await fetchForClient(egress, {
    purpose: 'list of redirect URIs',
    accountId,
    registeredBy,
    url,
    accept: 'application/json',
  });
  if (!result.ok || result.response.status !== 200 || result.response.body.length > mostBytes) {
    throw invalid(name, 'cannot be fetched');
  }
  try {
    const list: unknown = JSON.parse(result.response.body.toString('utf8'));
    if (Array.isArray(list)) return list;
  } catch {
    // Told below, as any other thing that is no list.
  }
  throw invalid(name, 'is not a JSON array');
}
