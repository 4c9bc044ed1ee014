/** The sector within which clients get the same subject for a user (OpenID Connect Core §8.1, Registration §5). */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { invalid } from './extra-metadata.ts';
import { fetchForClient } from './fetch-for-client.ts';
import type { ClientMetadata } from './metadata.ts';
import { isAnybodysUri } from './redirect-uris.ts';

const mostBytes = 65_536;
const name = 'sector_identifier_uri';

type Registrant = Pick<ClientRecord, 'registeredBy'>;

/**
 * Adds the sector of a pairwise client: the host of its `sector_identifier_uri`, whose document must list all redirect
 * URIs, else the single host of the redirect URIs. The document is fetched only here, as the setting EGRESS permits;
 * for a client with public subjects nothing is fetched. Throws `client_metadata_invalid`.
 */
export async function withSector(
  services: Pick<Services, 'egress'>,
  account: Account,
  metadata: ClientMetadata,
  registrant: Registrant,
): Promise<ClientMetadata> {
  if (metadata.subjectType === 'public') return metadata;
  return { ...metadata, sector: await sectorOf(services, account, metadata, registrant) };
}

/**
 * The same for a client that replaces its registration. The subjects of its users must not change (OpenID Connect Core
 * §12.2), so it cannot learn the subjects of another sector or the public ones.
 */
export async function withSameSector(
  services: Pick<Services, 'egress'>,
  account: Account,
  metadata: ClientMetadata,
  former: ClientRecord,
): Promise<ClientMetadata> {
  if (metadata.subjectType !== former.subjectType) throw invalid('subject_type', `must stay ${former.subjectType}`);
  const replaced = await withSector(services, account, metadata, former);
  if (replaced.sector === former.sector) return replaced;
  const member = metadata.extra.sector_identifier_uri === undefined ? 'redirect_uris' : name;
  throw invalid(member, `must stay in the sector of this client, which is ${former.sector}`);
}

async function sectorOf(
  services: Pick<Services, 'egress'>,
  { id: accountId }: Account,
  { redirectUris, extra }: ClientMetadata,
  { registeredBy }: Registrant,
): Promise<string> {
  const uri = extra.sector_identifier_uri;
  if (uri !== undefined) {
    const listed = await fetchList(services, accountId, uri, registeredBy);
    const missing = redirectUris.findIndex((one) => !listed.includes(one));
    if (missing >= 0) throw invalid(name, `does not list redirect_uris[${missing}]`);
    return new URL(uri).hostname;
  }
  return sectorOfUris(redirectUris, registeredBy);
}

/** The host that all redirect URIs have. Throws `client_metadata_invalid`. */
export function sectorOfUris(redirectUris: readonly string[], registeredBy: ClientRecord['registeredBy']): string {
  if (registeredBy === 'open' && redirectUris.some(isAnybodysUri)) {
    // The host of such an address proves nothing: another program may have claimed it.
    throw invalid(name, 'is required for pairwise subjects unless all redirect_uris are https addresses');
  }
  const [host, ...more] = new Set(redirectUris.map((one) => new URL(one).hostname));
  if (host && more.length === 0) return host;
  throw invalid(name, 'is required for pairwise subjects unless all redirect_uris have the same host');
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
    // Reported below, like anything else that is not a list.
  }
  throw invalid(name, 'is not a JSON array');
}
