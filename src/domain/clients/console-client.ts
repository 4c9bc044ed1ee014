/**
 * The client of the console: built in, with no row that anybody could change, delete, or assign. Administrators alone may
 * use it, without consent, and its tokens are for the management API alone.
 */

import type { ClientRecord } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { administratorScopes } from '../callers/scopes.ts';
import { hour } from '../durations.ts';
import type { PresentedClient } from './authenticate-client.ts';

export const consoleClientId = 'console';

/** Every real app has a positive number; 0 is the account pages, -1 a client without a row. */
const consoleAppId = -2;

/** Since the sign-in. */
const longestHours = 8;

const signedInPath = '/console/signed-in';

/** The client as it is in this account; null where the account has the console turned off. */
export function consoleClient({ id, baseUrl, settings, record }: Account): ClientRecord | null {
  if (!settings.console) return null;
  return {
    accountId: id,
    appId: consoleAppId,
    clientId: consoleClientId,
    secretDigest: null,
    name: 'Console',
    applicationType: 'web',
    redirectUris: [baseUrl + signedInPath],
    postLogoutRedirectUris: [],
    grantTypes: ['authorization_code'],
    responseTypes: ['code'],
    authMethod: 'none',
    authMethodNamed: true,
    subjectType: 'public',
    sector: null,
    idTokenAlg: 'RS256',
    scope: administratorScopes,
    extra: { dpop_bound_access_tokens: true },
    registeredBy: 'token',
    policyId: null,
    accessTokenMinutes: null,
    refreshTokenMinutes: null,
    createdAt: record.createdAt,
    linkedServers: 0,
    usesOpenServers: false,
    previousSecretDigest: null,
    previousSecretExpiresAt: null,
  };
}

/** Whether rows can refer to the client: not to the account pages, the console, or what nobody has agreed to yet. */
export function hasRow({ appId }: Pick<ClientRecord, 'appId'>): boolean {
  return appId > 0;
}

/** When what a sign-in allows at the console ends, however often it is renewed. */
export function consoleEndOf({ authenticatedAt }: { readonly authenticatedAt: Milliseconds }): Milliseconds {
  return authenticatedAt + longestHours * hour;
}

/** The console where a client presents itself as that, and by its identifier alone; null for every other client. */
export function findConsole(account: Account, presented: PresentedClient): ClientRecord | null {
  const { authorization, clientId, clientSecret, assertion } = presented;
  const isAlone = authorization === undefined && clientSecret === undefined && assertion === undefined;
  return isAlone && clientId === consoleClientId ? consoleClient(account) : null;
}

export function isConsole({ appId }: Pick<ClientRecord, 'appId'>): boolean {
  return appId === consoleAppId;
}
