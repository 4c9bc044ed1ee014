import type { Services } from '../../services.ts';
import type { AuthorizationParameters, ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { newBrowserSecret } from './sessions.ts';

const requestMilliseconds = 10 * 60_000;

/** What names a sign-in that was begun, and what binds it to the browser. */
export interface OpenedRequest {
  readonly requestId: string;
  readonly browserSecret: string;
}

/** Stores what a client asks for, checked, as a sign-in in progress of this browser. */
export async function openRequest(
  { store, clock, random }: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Account,
  client: Pick<ClientRecord, 'appId'>,
  parameters: AuthorizationParameters,
  formerBrowserSecret: string | undefined,
): Promise<OpenedRequest> {
  const requestId = newSecret(random, '');
  const browserSecret = newBrowserSecret(random, formerBrowserSecret);
  const now = clock.now();
  await store.authorizations.createRequest({
    accountId: account.id,
    digest: digestOf(requestId),
    browserDigest: digestOf(browserSecret),
    appId: client.appId,
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
  });
  return { requestId, browserSecret };
}
