/** Sign-ins to the account pages: as to an app, but to none that anybody registered. */

import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';

/** Every number of an app is greater. */
const ownAppId = 0;

/** What stands for the app where one is expected. It is nobody's to register, assign, consent to or give tokens for. */
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
    createdAt: record.createdAt,
    linkedServers: 0,
    previousSecretDigest: null,
    previousSecretExpiresAt: null,
  };
}

export function isOwnPages({ appId }: Pick<ClientRecord, 'appId'>): boolean {
  return appId === ownAppId;
}
