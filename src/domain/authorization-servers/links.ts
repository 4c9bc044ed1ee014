/** Which clients may get an API authorization server's tokens, and with which of its scopes (the document's §4.7). */

import type { Services } from '../../services.ts';
import type { ServerLinkRecord, ServerScopeRecord } from '../../store/authorization-servers.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { requireServer } from './servers.ts';
import { invalid } from './values.ts';

/** Servers that an app is linked to: each of its authorization requests, which anybody can send, reads them all. */
const mostLinked = 100;
/** Scopes of all of them together. */
const mostScopesLinked = 1_000;

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type LinkServices = Pick<Services, 'store' | 'clock' | 'vault'>;

/** A client linked to a server. */
export interface LinkedClient {
  readonly appId: number;
  readonly name: string;
  readonly scopes: readonly ServerScopeRecord[];
}

/**
 * Links a registered client: from its next token on it gets the server's tokens. Throws `not_found` for the server,
 * `value_invalid` for an unknown app or scope or a scope of another server, `conflict` when it is linked already.
 */
export async function linkClient(
  services: LinkServices,
  account: Audited,
  serverId: number,
  appId: number,
  scopeIds: readonly number[],
): Promise<ServerLinkRecord> {
  return services.store.transaction(async (tx) => {
    await requireServer(tx, account, serverId);
    if (!(await tx.clients.findByApp(account.id, appId)))
      throw invalid('app_id', 'must be the id of an app of this account');
    const link = {
      accountId: account.id,
      serverId,
      appId,
      scopeIds: await readScopes(tx, account, serverId, scopeIds),
      linkedAt: services.clock.now(),
    };
    if (await tx.authorizationServers.findLink(account.id, serverId, appId)) throw alreadyLinked();
    // The link locks the row of the client: of two at once, the second one sees the first.
    await tx.authorizationServers.link(link);
    await requireRoom(tx, account.id, appId, link.scopeIds.length > 0);
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { app_id: appId, scope_ids: link.scopeIds };
    await recordEvent(tx, services, account, { action: 'api_client.linked', target, detail });
    return link;
  });
}

/** A page of the clients of a server, with the scopes that still exist; throws `not_found`. */
export async function pageLinkedClients(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  serverId: number,
  query: ListQuery,
): Promise<ListPage<LinkedClient>> {
  await requireServer(store, account, serverId);
  const known = await store.authorizationServers.listScopes(account.id, serverId);
  const page = await store.authorizationServers.pageLinks(account.id, serverId, query);
  return mapPage(page, ({ appId, clientName, scopeIds }) => {
    const linked = new Set(scopeIds);
    return { appId, name: clientName, scopes: known.filter(({ id }) => linked.has(id)) };
  });
}

/** Replaces the scopes of a link. Throws `not_found` for server or link, `value_invalid` for a scope. */
export async function changeLink(
  services: LinkServices,
  account: Audited,
  serverId: number,
  appId: number,
  scopeIds: readonly number[],
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const former = await tx.authorizationServers.findLink(account.id, serverId, appId);
    if (!former) throw unknownLink();
    const read = await readScopes(tx, account, serverId, scopeIds);
    if (!(await tx.authorizationServers.updateLink(account.id, serverId, appId, read))) throw unknownLink();
    // The update holds the account: of two at once, the second one sees the first.
    await requireRoom(tx, account.id, appId, read.length > former.scopeIds.length);
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { app_id: appId, scope_ids: read };
    await recordEvent(tx, services, account, { action: 'api_client.changed', target, detail });
  });
}

/** Removes a link and ends the client's grants that are for this server only. Throws `not_found`. */
export async function unlinkClient(
  services: LinkServices,
  account: Audited,
  serverId: number,
  appId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const ended = await tx.authorizationServers.unlink(account.id, serverId, appId, services.clock.now());
    if (ended === null) throw unknownLink();
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { app_id: appId, grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'api_client.unlinked', target, detail });
  });
}

/** Each authorization request of the app reads all of this, and anybody can send one. */
async function requireRoom(
  tx: Pick<StoreVerbs, 'authorizationServers'>,
  accountId: number,
  appId: number,
  hasMore: boolean,
): Promise<void> {
  const linked = await tx.authorizationServers.ofClient(accountId, appId);
  const scopes = linked.reduce((sum, one) => sum + one.scopes.length, 0);
  if (hasMore && scopes > mostScopesLinked) {
    throw invalid('scopes', `cannot be added: the links of the app have ${mostScopesLinked} scopes at most`);
  }
  if (linked.length > mostLinked) throw invalid('app_id', `is linked to ${mostLinked} servers already`);
}

async function readScopes(
  tx: Pick<StoreVerbs, 'authorizationServers'>,
  account: Owner,
  serverId: number,
  scopeIds: readonly number[],
): Promise<readonly number[]> {
  const known = new Set((await tx.authorizationServers.listScopes(account.id, serverId)).map(({ id }) => id));
  const missing = scopeIds.find((id) => !known.has(id));
  if (missing !== undefined) throw invalid('scopes', `contains ${missing}, which is not a scope of this server`);
  return [...new Set(scopeIds)];
}

function alreadyLinked(): Failure {
  return new Failure('conflict', { name: 'app_id', message: 'app_id is already linked to this server' });
}

function unknownLink(): Failure {
  return new Failure('not_found', { name: 'client', message: 'the app is not linked to this server' });
}
