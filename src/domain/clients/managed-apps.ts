/** Apps as the management API creates and changes them: its view of clients. */

import type { Services } from '../../services.ts';
import type { DetailedClient } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { minute } from '../durations.ts';
import { type EndingVerb, endUnassigned } from '../endings/end-app.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { requireFollowed } from '../policies/policies.ts';
import { requireKnown } from '../roles/links.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { type AppInput, readAppChanges, readNewApp } from './app-input.ts';
import { hasSecret } from './client-methods.ts';
import { newClient } from './register.ts';

export interface FullApp extends DetailedClient {
  /** Roles that give access to the app, ascending. */
  readonly roleIds: readonly number[];
}

interface CreatedApp {
  readonly app: FullApp;
  /** Shown once; null for clients without a secret. */
  readonly clientSecret: string | null;
}

interface RotatedSecret {
  readonly clientId: string;
  /** Shown once. */
  readonly clientSecret: string;
  /** Until when the previous secret is valid; null when it ended at once or there was none. */
  readonly previousExpiresAt: Milliseconds | null;
}

type AccountId = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type AppServices = Pick<Services, 'store' | 'clock' | 'vault'>;

/** A page of apps. For `query` see `ClientStore.pageApps`. */
export async function listFullApps(
  { store }: Pick<Services, 'store'>,
  account: AccountId,
  query: ListQuery,
): Promise<ListPage<FullApp>> {
  const page = await store.clients.pageApps(account.id, query);
  const ids = page.items.map(({ appId }) => appId);
  const roleIds = await store.access.rolesOf(account.id, ids);
  return mapPage(page, (app) => ({ ...app, roleIds: roleIds.get(app.appId) ?? [] }));
}

/** Throws `not_found`. */
export async function readFullApp(
  store: Pick<StoreVerbs, 'clients' | 'access'>,
  account: AccountId,
  appId: number,
): Promise<FullApp> {
  const app = await requireAppId(store, account, appId);
  const roleIds = await store.access.rolesOf(account.id, [appId]);
  return { ...app, roleIds: roleIds.get(appId) ?? [] };
}

/** The app with this id. Throws `not_found`. */
export async function requireAppId(
  store: Pick<StoreVerbs, 'clients'>,
  account: AccountId,
  appId: number,
): Promise<DetailedClient> {
  const app = await store.clients.findApp(account.id, appId);
  if (!app) throw new Failure('not_found', { name: 'app', message: 'there is no such app' });
  return app;
}

/** Registers a client and returns its app. Throws `value_invalid`. */
export function createApp(
  services: AppServices & Pick<Services, 'random'>,
  account: Audited & Pick<Account, 'settings'>,
  input: AppInput,
): Promise<CreatedApp> {
  const { metadata, details } = readNewApp(input, account.settings);
  const { client, clientSecret } = newClient(services, account, metadata, 'token');
  return services.store.transaction(async (tx) => {
    await requireFollowed(tx, account, details);
    const { appId } = await tx.clients.create(client);
    await tx.clients.update(account.id, appId, { ...details, updatedAt: client.createdAt });
    await replaceRoles(tx, account, appId, input.roleIds, client.createdAt);
    const target = { type: 'app', id: appId } as const;
    await recordEvent(tx, services, account, { action: 'app.created', target, detail: { fields: setFields(input) } });
    return { app: await readFullApp(tx, account, appId), clientSecret };
  });
}

/**
 * Changes the given members; users who lose the app with a role lose their grants for it. Throws `not_found`,
 * `value_invalid`.
 */
export function updateApp(services: AppServices, account: Audited, appId: number, input: AppInput): Promise<FullApp> {
  const now = services.clock.now();
  return services.store.transaction(async (tx) => {
    const app = await requireAppId(tx, account, appId);
    const changes = readAppChanges(input, app);
    await requireFollowed(tx, account, changes);
    await tx.clients.update(account.id, appId, { ...changes, updatedAt: now });
    const ended = await replaceRoles(tx, account, appId, input.roleIds, now);
    const target = { type: 'app', id: appId } as const;
    const detail = { fields: setFields(input), grants_revoked: ended };
    await recordEvent(tx, services, account, { action: 'app.changed', target, detail });
    return readFullApp(tx, account, appId);
  });
}

/** Removes the app with its client, access, grants and tokens. Throws `not_found`. */
export async function removeApp(services: AppServices, account: Audited, appId: number): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.clients.remove(account.id, appId, services.clock.now()))) {
      throw new Failure('not_found', { name: 'app', message: 'there is no such app' });
    }
    const target = { type: 'app', id: appId } as const;
    await recordEvent(tx, services, account, { action: 'app.removed', target, detail: {} });
  });
}

/**
 * Gives the client a new secret. The former one stays valid for `overlapMinutes`, the one before that ends at once.
 * Throws `not_found`, and `value_invalid` for a client whose method has no secret.
 */
export async function rotateSecret(
  services: AppServices & Pick<Services, 'random'>,
  account: Audited,
  appId: number,
  overlapMinutes: number,
): Promise<RotatedSecret> {
  const clientSecret = newSecret(services.random, secretPrefixes.clientSecret);
  const now = services.clock.now();
  return services.store.transaction(async (tx) => {
    const { clientId, authMethod, secretDigest } = await requireAppId(tx, account, appId);
    if (!hasSecret(authMethod)) {
      const name = 'configuration.token_endpoint_auth_method';
      throw new Failure('value_invalid', { name, message: `by its ${name} the client has no secret` });
    }
    const overlaps = secretDigest !== null && overlapMinutes > 0;
    const previousExpiresAt = overlaps ? now + overlapMinutes * minute : null;
    await tx.clients.replaceSecret(account.id, appId, digestOf(clientSecret), previousExpiresAt);
    await tx.clients.update(account.id, appId, { updatedAt: now });
    const target = { type: 'app', id: appId } as const;
    const detail = { overlap_minutes: overlapMinutes };
    await recordEvent(tx, services, account, { action: 'app.secret_rotated', target, detail });
    return { clientId, clientSecret, previousExpiresAt };
  });
}

async function replaceRoles(
  tx: Pick<StoreVerbs, 'roles' | 'access' | EndingVerb>,
  account: AccountId,
  appId: number,
  ids: AppInput['roleIds'],
  now: Milliseconds,
): Promise<number> {
  if (ids === undefined) return 0;
  const wanted = new Set(ids ?? []);
  await requireKnown(tx, account, 'roles', [...wanted]);
  const surplus = ((await tx.access.rolesOf(account.id, [appId])).get(appId) ?? []).filter((id) => !wanted.has(id));
  await tx.access.grantRoles(account.id, appId, [...wanted], now);
  await tx.access.revokeRoles(account.id, appId, surplus);
  return surplus.length > 0 ? endUnassigned(tx, account, { appIds: [appId] }, now) : 0;
}
