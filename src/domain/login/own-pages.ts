/** Sign-ins to the account pages: as to an app, but to none that anybody registered. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { newBrowserSecret } from './sessions.ts';

const requestMilliseconds = 10 * 60_000;
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

/** What a page wants of the sign-in that leads to it. */
export interface OwnSignIn {
  /** Path of the page. */
  readonly path: string;
  /** How old the sign-in may be, in seconds; null: as old as the session may be. */
  readonly maxAgeSeconds: number | null;
  readonly secondFactor: boolean;
  /** Who is most likely to sign in. */
  readonly loginHint: string | null;
}

export interface BegunSignIn {
  readonly requestId: string;
  readonly browserSecret: string;
}

/** Begins a sign-in that leads to one of the account pages. */
export async function beginOwnSignIn(
  services: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Account,
  { path, maxAgeSeconds, secondFactor, loginHint }: OwnSignIn,
  browserSecret: string | undefined,
): Promise<BegunSignIn> {
  const requestId = newSecret(services.random, '');
  const secret = newBrowserSecret(services.random, browserSecret);
  const now = services.clock.now();
  const nothing = { state: null, nonce: null, codeChallenge: null, serverId: null, scope: [], prompt: [] };
  await services.store.authorizations.createRequest({
    accountId: account.id,
    digest: digestOf(requestId),
    browserDigest: digestOf(secret),
    appId: null,
    parameters: {
      ...nothing,
      redirectUri: path,
      redirectUriGiven: true,
      loginHint,
      maxAgeSeconds,
      ...(secondFactor && { secondFactor: true }),
    },
    authenticatedAt: null,
    decision: null,
    decidedBy: null,
    passwordUserId: null,
    passwordCheckedAt: null,
    hookPolicyId: null,
    hookPolicyUserId: null,
    hookTraits: null,
    methods: null,
    createdAt: now,
    expiresAt: now + requestMilliseconds,
  });
  return { requestId, browserSecret: secret };
}
