import type { Services } from '../../services.ts';
import type { AuthorizationParameters, AuthorizationRequestRecord, ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { BrowserState } from './authorization-request.ts';
import { isOwnPages } from './own-pages.ts';
import { usedUp } from './pushed-request.ts';
import { newBrowserSecret } from './sessions.ts';

const requestMilliseconds = 10 * 60_000;

/** Of a sign-in that no client asks for in a query of its own. */
export const noParameters = {
  scope: [],
  state: null,
  nonce: null,
  codeChallenge: null,
  loginHint: null,
  prompt: [],
  maxAgeSeconds: null,
  serverId: null,
} as const;

/** What names a sign-in that was begun, and what binds it to the browser. */
export interface OpenedRequest {
  readonly requestId: string;
  readonly browserSecret: string;
}

/** Who asks, and by what. */
interface Opening extends Pick<BrowserState, 'browserSecret'> {
  /** Digest of the pushed request that is used up by this, or neither happens (RFC 9126 §4). */
  readonly pushed?: string | undefined;
}

/**
 * Stores what a client, or a page of ours, asks for, checked, as a sign-in in progress of this browser. Throws
 * `authorization_request_invalid` for a pushed request that is used up.
 */
export async function openRequest(
  { store, clock, random }: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Account,
  client: Pick<ClientRecord, 'appId'>,
  parameters: AuthorizationParameters,
  { browserSecret: former, pushed }: Opening,
): Promise<OpenedRequest> {
  const requestId = newSecret(random, '');
  const browserSecret = newBrowserSecret(random, former);
  const now = clock.now();
  const record: AuthorizationRequestRecord = {
    accountId: account.id,
    digest: digestOf(requestId),
    browserDigest: digestOf(browserSecret),
    appId: isOwnPages(client) ? null : client.appId,
    parameters,
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
  };
  if (pushed === undefined) await store.authorizations.createRequest(record);
  else {
    await store.transaction(async ({ authorizations }) => {
      if (!(await authorizations.takePushed(account.id, pushed))) throw usedUp();
      await authorizations.createRequest(record);
    });
  }
  return { requestId, browserSecret };
}
