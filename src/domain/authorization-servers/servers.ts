/**
 * API authorization servers, for which clients get access tokens. A server has scopes and claims, and clients are
 * linked to it with some of its scopes (the document's §1.3).
 */

import type { Services } from '../../services.ts';
import type { AuthorizationServerRecord, ClientAccess } from '../../store/authorization-servers.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { readText } from '../text.ts';
import { mostAccessTokenMinutes, mostRefreshTokenMinutes } from '../tokens/longest-lives.ts';
import { requireWebAddress } from './resource-metadata.ts';
import { invalid, readDescription } from './values.ts';

const longestName = 255;
const longestDescription = 1024;
const longestIdentifier = 2048;
const longestAudience = 255;
const mostAudiences = 20;

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type ServerServices = Pick<Services, 'store' | 'clock' | 'vault'>;

/** Values of a server; in a change, members left out stay, and null clears. */
export interface ServerValues {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly resourceIdentifier?: string | null | undefined;
  readonly audiences?: readonly string[] | null | undefined;
  readonly accessTokenMinutes?: number | null | undefined;
  readonly refreshTokenMinutes?: number | null | undefined;
  readonly clientAccess?: ClientAccess | undefined;
  readonly resourceMetadata?: boolean | undefined;
}

/**
 * Creates a server. Throws `value_invalid` for an invalid value, `conflict` (name `resource_identifier`) when another
 * server of the account has the identifier.
 */
export function createServer(
  services: ServerServices,
  account: Audited,
  values: ServerValues,
): Promise<AuthorizationServerRecord> {
  const { name = null, resourceIdentifier = null, ...others } = values;
  const now = services.clock.now();
  const server = {
    accountId: account.id,
    description: null,
    audiences: [],
    accessTokenMinutes: null,
    refreshTokenMinutes: null,
    clientAccess: 'linked' as const,
    resourceMetadata: false,
    ...readValues(others),
    name: readName(name),
    resourceIdentifier: readIdentifier(resourceIdentifier),
    createdAt: now,
    updatedAt: now,
  };
  requireWebAddress(server);
  return services.store.transaction(async (tx) => {
    const created = await tx.authorizationServers.create(server);
    const target = { type: 'api_authorization', id: created.id } as const;
    const detail = { fields: setFields(values) };
    await recordEvent(tx, services, account, { action: 'api_authorization.created', target, detail });
    return created;
  });
}

export function pageServers(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  query: ListQuery,
): Promise<ListPage<AuthorizationServerRecord>> {
  return store.authorizationServers.page(account.id, query);
}

/** The server; throws `not_found`. */
export async function requireServer(
  store: Pick<StoreVerbs, 'authorizationServers'>,
  account: Owner,
  serverId: number,
): Promise<AuthorizationServerRecord> {
  const server = await store.authorizationServers.find(account.id, serverId);
  if (!server) throw unknownServer();
  return server;
}

/** Changes the given members. Throws as `createServer` does, and `not_found`. Issued tokens do not change. */
export async function changeServer(
  services: ServerServices,
  account: Audited,
  serverId: number,
  values: ServerValues,
): Promise<AuthorizationServerRecord> {
  const changes = { ...readValues(values), updatedAt: services.clock.now() };
  return services.store.transaction(async (tx) => {
    const changed = await tx.authorizationServers.update(account.id, serverId, changes);
    if (!changed) throw unknownServer();
    requireWebAddress(changed);
    // In the same transaction: what users allowed under the former value ends with it.
    const ended =
      values.clientAccess === 'linked'
        ? await tx.authorizationServers.endOpen(account.id, serverId, services.clock.now())
        : 0;
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { fields: setFields(values), ...(ended > 0 && { grants_revoked: ended }) };
    await recordEvent(tx, services, account, { action: 'api_authorization.changed', target, detail });
    return changed;
  });
}

/** Removes a server with its scopes, claims and links, and ends the grants that are for it only. Throws `not_found`. */
export async function removeServer(services: ServerServices, account: Audited, serverId: number): Promise<void> {
  await services.store.transaction(async (tx) => {
    const ended = await tx.authorizationServers.remove(account.id, serverId, services.clock.now());
    if (ended === null) throw unknownServer();
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'api_authorization.removed', target, detail });
  });
}

function unknownServer(): Failure {
  return new Failure('not_found', { name: 'server', message: 'there is no such API authorization server' });
}

type Read = Partial<Omit<AuthorizationServerRecord, 'accountId' | 'id' | 'createdAt' | 'updatedAt'>>;

function readValues(values: ServerValues): Read {
  const { name, description, resourceIdentifier, audiences, accessTokenMinutes, refreshTokenMinutes } = values;
  const { clientAccess, resourceMetadata } = values;
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(clientAccess !== undefined && { clientAccess }),
    ...(name !== undefined && { name: readName(name) }),
    ...(description !== undefined && { description: readDescription(description, longestDescription) }),
    ...(resourceIdentifier !== undefined && { resourceIdentifier: readIdentifier(resourceIdentifier) }),
    ...(audiences !== undefined && { audiences: readAudiences(audiences ?? []) }),
    ...(accessTokenMinutes !== undefined && {
      accessTokenMinutes: readMinutes('access_token_expiration_minutes', accessTokenMinutes, mostAccessTokenMinutes),
    }),
    ...(refreshTokenMinutes !== undefined && {
      refreshTokenMinutes: readMinutes(
        'refresh_token_expiration_minutes',
        refreshTokenMinutes,
        mostRefreshTokenMinutes,
      ),
    }),
  };
}

function readName(name: string | null): string {
  if (name === null) throw invalid('name', 'is mandatory');
  return readText('name', name, longestName);
}

/** RFC 8707 §2: an absolute URI without a fragment; here without a user part, and without a query as §2 advises. */
function readIdentifier(identifier: string | null): string {
  const name = 'resource_identifier';
  if (identifier === null || identifier === '') throw invalid(name, 'is mandatory');
  if (identifier.length > longestIdentifier) throw invalid(name, `has more than ${longestIdentifier} characters`);
  const parsed = /^[\x21-\x7e]+$/.test(identifier) && !/[\\<>"^`{|}]/.test(identifier) ? URL.parse(identifier) : null;
  if (!parsed || !/^[A-Za-z][A-Za-z0-9+.-]*:./.test(identifier)) throw invalid(name, 'must be an absolute URI');
  if (identifier.includes('#')) throw invalid(name, 'has a fragment');
  if (identifier.includes('?')) throw invalid(name, 'has a query');
  if (parsed.username !== '' || parsed.password !== '') throw invalid(name, 'has a user part');
  return identifier;
}

/** Audiences without white space: applications parse lists of audiences in several ways. */
function readAudiences(audiences: readonly string[]): readonly string[] {
  if (audiences.length > mostAudiences) throw invalid('audiences', `must have at most ${mostAudiences} items`);
  for (const [index, audience] of audiences.entries()) {
    const name = `audiences[${index}]`;
    if (!/^[\x21-\x7e]{1,255}$/.test(audience)) {
      throw invalid(name, `must have 1 to ${longestAudience} visible ASCII characters`);
    }
    if (audiences.indexOf(audience) < index) throw invalid(name, 'must not be repeated');
  }
  return audiences;
}

function readMinutes(name: string, minutes: number | null, most: number): number | null {
  if (minutes === null) return null;
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > most) throw invalid(name, `must be 1 to ${most}`);
  return minutes;
}
