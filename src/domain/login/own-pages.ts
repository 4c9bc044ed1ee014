/** Sign-ins to the account pages: like sign-ins to an app, but no app is registered for them. */

import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';

/** Every real app has a greater number. */
const ownAppId = 0;

/** Stands in where an app is expected. It cannot be registered, assigned, consented to or given tokens. */
export function ownPages({ id, record }: Account): ClientRecord {
  return {
    accountId: id,
    appId: ownAppId,
    clientId: '00000000-0000-0000-0000-000000000000',
    secretDigest: null,
    name: 'your account',
    applicationType: 'web',
    redirectUris: [],
    postLogoutRedirectUris: [],
    grantTypes: [],
    responseTypes: [],
    authMethod: 'none',
    authMethodNamed: true,
    subjectType: 'public',
    sector: null,
    idTokenAlg: 'RS256',
    scope: [],
    extra: {},
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

export function isOwnPages({ appId }: Pick<ClientRecord, 'appId'>): boolean {
  return appId === ownAppId;
}
