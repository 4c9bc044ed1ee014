/** Scopes of an API authorization server. */

import type { Services } from '../../services.ts';
import type { ServerScopeRecord } from '../../store/authorization-servers.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { knownScopes } from '../tokens/scopes.ts';
import { requireServer } from './servers.ts';
import { invalid, readDescription } from './values.ts';

const longestScope = 128;
const longestScopeDescription = 255;
const mostScopes = 200;

/** Scopes about the user belong to the account (OpenID Connect Core §5.4, §11), never to an API. */
const reserved: ReadonlySet<string> = new Set([...knownScopes, 'offline_access']);

/** Values of a scope; in a change, members left out stay, and null clears. */
interface ScopeValues {
  readonly value?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** Whether clients that are not linked can have it, where `clientAccess` lets them. */
  readonly open?: boolean | undefined;
}

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type ScopeServices = Pick<Services, 'store' | 'clock' | 'vault'>;

/**
 * Adds a scope. Throws `not_found`, `value_invalid`, and `conflict` (name `value`) when the server has one of this
 * value.
 */
export function addScope(
  services: ScopeServices,
  account: Audited,
  serverId: number,
  { value, description, open = false }: ScopeValues,
): Promise<ServerScopeRecord> {
  const scope = {
    accountId: account.id,
    serverId,
    value: readValue(value ?? null),
    description: readDescription(description ?? null, longestScopeDescription),
    open,
    createdAt: services.clock.now(),
  };
  return services.store.transaction(async (tx) => {
    await requireServer(tx, account, serverId);
    const known = await tx.authorizationServers.listScopes(account.id, serverId);
    if (known.length >= mostScopes)
      throw invalid('scope', `cannot be added: the server has ${mostScopes} scopes already`);
    const added = await tx.authorizationServers.addScope(scope);
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { scope_id: added.id };
    await recordEvent(tx, services, account, { action: 'api_scope.created', target, detail });
    return added;
  });
}

/** A page of the scopes of a server; throws `not_found` without the server. */
export async function pageScopes(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  serverId: number,
  query: ListQuery,
): Promise<ListPage<ServerScopeRecord>> {
  await requireServer(store, account, serverId);
  return store.authorizationServers.pageScopes(account.id, serverId, query);
}

/**
 * Changes the given members; throws as `addScope` does. A renamed scope is a new one: grants of the old name do not
 * cover it.
 */
export async function changeScope(
  services: ScopeServices,
  account: Audited,
  serverId: number,
  scopeId: number,
  { value, description, open }: ScopeValues,
): Promise<ServerScopeRecord> {
  const changes = {
    ...(open !== undefined && { open }),
    ...(value !== undefined && { value: readValue(value) }),
    ...(description !== undefined && { description: readDescription(description, longestScopeDescription) }),
  };
  return services.store.transaction(async (tx) => {
    const changed = await tx.authorizationServers.updateScope(account.id, serverId, scopeId, changes);
    if (!changed) throw unknownScope();
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { scope_id: scopeId, fields: setFields(changes) };
    await recordEvent(tx, services, account, { action: 'api_scope.changed', target, detail });
    return changed;
  });
}

/** Removes a scope, and from clients' links too; throws `not_found`. */
export async function removeScope(
  services: ScopeServices,
  account: Audited,
  serverId: number,
  scopeId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.authorizationServers.removeScope(account.id, serverId, scopeId))) throw unknownScope();
    const target = { type: 'api_authorization', id: serverId } as const;
    const detail = { scope_id: scopeId };
    await recordEvent(tx, services, account, { action: 'api_scope.removed', target, detail });
  });
}

/** RFC 6749 §3.3: visible ASCII without `"` and `\`. */
function readValue(value: string | null): string {
  if (value === null || value === '') throw invalid('value', 'is mandatory');
  if (value.length > longestScope || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)) {
    throw invalid('value', `must have 1 to ${longestScope} visible ASCII characters other than " and \\`);
  }
  if (reserved.has(value)) throw invalid('value', `must not be ${value}, which is reserved`);
  return value;
}

function unknownScope(): Failure {
  return new Failure('not_found', { name: 'scope', message: 'there is no such scope' });
}
