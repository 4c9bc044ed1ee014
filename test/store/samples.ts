/** Records for the store's tests, each as plain as it can be. */

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { judgeRefresh } from '../../src/domain/tokens/judge-refresh.ts';
import type { AccountRecord } from '../../src/store/accounts.ts';
import type { AuthorizationServerRecord } from '../../src/store/authorization-servers.ts';
import type { CodeRecord } from '../../src/store/authorizations.ts';
import type { ClientRecord, NewClientRecord, TokenClient } from '../../src/store/clients.ts';
import type { Consumption } from '../../src/store/consumption.ts';
import type { DeviceCodeRecord } from '../../src/store/device-codes.ts';
import type { NewEvent } from '../../src/store/events.ts';
import type { GrantRecord } from '../../src/store/grants.ts';
import { single } from '../../src/store/knex/single.ts';
import type { Store, StoreVerbs } from '../../src/store/store.ts';
import type { TokenUser, UserKeys, UserRecord } from '../../src/store/users.ts';

export const now = Date.UTC(2026, 10, 21);
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** A unique text. */
export function unique(prefix = 'x'): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`;
}

export function newAccount(store: StoreVerbs, given: Partial<Omit<AccountRecord, 'id'>> = {}): Promise<AccountRecord> {
  const name = unique('account');
  const account = {
    subdomain: name,
    name,
    baseUrl: null,
    hosts: [],
    settings: {},
    sealedKey: 'sealed',
    createdAt: now,
  };
  return store.accounts.create({ ...account, ...given });
}

export function newUser(
  store: StoreVerbs,
  accountId: number,
  given: Partial<Omit<UserRecord & UserKeys, 'accountId' | 'id'>> = {},
): Promise<UserRecord> {
  const email = `${unique('user')}@example.com`;
  return single(store.users.createAll)({
    accountId,
    email,
    emailKey: email,
    username: null,
    usernameKey: null,
    firstname: 'Ada',
    lastname: null,
    status: 1,
    passwordDigest: 'digest',
    invalidLoginAttempts: 0,
    lockedUntil: null,
    lastLogin: null,
    passwordChangedAt: now,
    activatedAt: now,
    createdAt: now,
    updatedAt: now,
    ...given,
  });
}

export function newClient(
  store: StoreVerbs,
  accountId: number,
  given: Partial<Omit<NewClientRecord, 'accountId'>> = {},
): Promise<ClientRecord> {
  return store.clients.create({
    accountId,
    clientId: unique('client'),
    secretDigest: 'digest',
    name: 'An app',
    applicationType: 'web',
    redirectUris: ['https://app.example.com/callback'],
    postLogoutRedirectUris: [],
    grantTypes: ['authorization_code', 'refresh_token'],
    responseTypes: ['code'],
    authMethod: 'client_secret_basic',
    authMethodNamed: true,
    subjectType: 'public',
    sector: null,
    idTokenAlg: 'RS256',
    scope: null,
    extra: { logo_uri: 'https://app.example.com/logo.png' },
    registeredBy: 'token',
    createdAt: now,
    ...given,
  });
}

/** An account with a client, a user who may use it, and what the tests make of them. */
export interface Cast {
  readonly accountId: number;
  readonly userId: number;
  readonly appId: number;
}

export async function newCast(store: Store): Promise<Cast> {
  const { id: accountId } = await newAccount(store);
  const { id: userId } = await newUser(store, accountId);
  const { appId } = await newClient(store, accountId);
  await store.access.grant(accountId, appId, { userId }, now);
  return { accountId, userId, appId };
}

export function newGrant(
  store: StoreVerbs,
  { accountId, userId, appId }: Cast,
  given: Partial<Omit<GrantRecord, 'id'>> = {},
): Promise<GrantRecord> {
  return store.grants.create({
    accountId,
    appId,
    userId,
    serverId: null,
    sid: 'sid',
    scope: ['openid', 'profile'],
    nonce: 'nonce',
    amr: ['pwd'],
    authenticatedAt: now,
    currentDigest: unique('token'),
    previousDigest: null,
    successorSalt: null,
    rotatedAt: null,
    generation: 0,
    idleExpiresAt: now + 14 * day,
    absoluteExpiresAt: now + 90 * day,
    revokedAt: null,
    revokedBecause: null,
    createdAt: now,
    ...given,
  });
}

export function newCode({ accountId, userId, appId }: Cast, given: Partial<CodeRecord> = {}): CodeRecord {
  return {
    accountId,
    digest: unique('code'),
    appId,
    userId,
    sid: 'sid',
    amr: ['pwd'],
    authenticatedAt: now,
    parameters: {
      redirectUri: 'https://app.example.com/callback',
      redirectUriGiven: true,
      scope: ['openid'],
      state: 'state',
      nonce: null,
      codeChallenge: null,
      loginHint: null,
      prompt: [],
      maxAgeSeconds: null,
      serverId: null,
    },
    createdAt: now,
    expiresAt: now + minute,
    usedAt: null,
    grantId: null,
    ...given,
  };
}

/** The current token of `grant`, presented a second after `now` by its client. */
export function present(grant: GrantRecord, given: Partial<Consumption> = {}): Consumption {
  return {
    accountId: grant.accountId,
    grantId: grant.id,
    appId: grant.appId,
    presentedDigest: grant.currentDigest ?? unique('token'),
    scope: null,
    now: now + 1000,
    graceMilliseconds: 10_000,
    successorDigest: unique('token'),
    successorSalt: unique('salt'),
    idleExpiresAt: now + 1000 + 14 * day,
    accessToken: { digest: unique('access'), issuedAt: now + 1000, expiresAt: now + 1000 + hour },
    proof: null,
    judge: judgeRefresh,
    eventOf: ({ outcome }) => newEvent(grant.accountId, { action: `refresh.${outcome}`, targetId: grant.id }),
    ...given,
  };
}

/** An event whose hash anybody can work out. */
export function newEvent(accountId: number, given: Partial<Omit<NewEvent, 'seal'>> = {}): NewEvent {
  const event = {
    accountId,
    at: now,
    action: 'user.changed',
    outcome: 'success' as const,
    actorType: 'command_line',
    actorId: null,
    targetType: 'user',
    targetId: 1,
    source: null,
    requestId: null,
    detail: '{}',
    ...given,
  };
  const seal = (id: number, previous: string) =>
    createHash('sha256')
      .update(`${previous} ${id} ${JSON.stringify(event)}`)
      .digest('base64url');
  return { ...event, seal };
}

/** What a promise rejects with, as `code` or `code name`. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    const { code, detail } = error as { code?: string; detail?: { name?: string } }; // A Failure, or the test fails.
    return [code, detail?.name].filter(Boolean).join(' ');
  }
  return 'nothing';
}

/** What tokens are made from, of a user and of a client that are there. */
export function ofTokens(
  user: UserRecord | null,
  client: ClientRecord | null,
): { user: TokenUser; client: TokenClient } {
  assert.ok(user && client);
  const { accountId, id, email, verifiedEmail, username, firstname, lastname, status, signedOutAt, updatedAt } = user;
  const { appId, clientId, linkedServers, sector } = client;
  return {
    user: { accountId, id, email, verifiedEmail, username, firstname, lastname, status, signedOutAt, updatedAt },
    client: { accountId: client.accountId, appId, clientId, linkedServers, sector },
  };
}

export function newDeviceCode({ accountId, appId }: Cast, given: Partial<DeviceCodeRecord> = {}): DeviceCodeRecord {
  return {
    accountId,
    digest: unique(),
    userCodeDigest: unique(),
    appId,
    scope: ['openid'],
    serverId: null,
    intervalSeconds: 5,
    nextPollAt: now,
    decision: null,
    userId: null,
    amr: null,
    authenticatedAt: null,
    sid: null,
    decidedAt: null,
    apiScopes: null,
    createdAt: now,
    expiresAt: now + 10 * minute,
    ...given,
  };
}

export function newServer(
  store: StoreVerbs,
  accountId: number,
  given: Partial<AuthorizationServerRecord> = {},
): Promise<AuthorizationServerRecord> {
  return store.authorizationServers.create({
    accountId,
    name: 'Orders',
    description: null,
    resourceIdentifier: `https://api.example.com/${unique()}`,
    audiences: ['orders'],
    accessTokenMinutes: null,
    refreshTokenMinutes: 30,
    clientAccess: 'linked',
    resourceMetadata: false,
    createdAt: now,
    updatedAt: now,
    ...given,
  });
}
