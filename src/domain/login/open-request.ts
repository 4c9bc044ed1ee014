import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { hasRow, isConsole } from '../clients/console-client.ts';
import { isUnstored } from '../clients/document-client.ts';
import { currentNetworkSource } from '../network-source.ts';
import { digestOf, newSecret } from '../secrets.ts';
import type { BrowserState } from './authorization-request.ts';
import { type NewRequest, requestMilliseconds, sealRequest, unansweredRequest } from './sealed-request.ts';
import { newBrowserSecret } from './sessions.ts';

/** The parameters of a sign-in that no client requested with a query of its own. */
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

/** Identifies a sign-in in progress and binds it to the browser. */
export interface OpenedRequest {
  readonly requestId: string;
  readonly browserSecret: string;
}

export type OpenServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits'>;

/** Who makes the request, and in which form. */
interface Opening extends Pick<BrowserState, 'browserSecret'> {
  /** Digest of the pushed request, which the answer to the client uses up. */
  readonly pushed?: string | undefined;
}

/**
 * Begins a sign-in of this browser for a checked request of a client or of one of our own pages. The request is sealed
 * into its identifier and becomes a row once the first factor is right. A request that is too large for that is stored
 * as a row at once and counts towards `limit.authorize` of its source. Throws `rate_limited`.
 */
export async function openRequest(
  services: OpenServices,
  account: Account,
  client: Pick<ClientRecord, 'appId' | 'clientId'>,
  parameters: AuthorizationParameters,
  opening: Opening,
): Promise<OpenedRequest> {
  return nameRequest(services, account, prepareRequest(services, client, parameters, opening));
}

/** A request of a browser that has no identifier yet. */
interface PreparedRequest {
  readonly asked: NewRequest;
  readonly browserSecret: string;
}

export function prepareRequest(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  client: Pick<ClientRecord, 'appId' | 'clientId'>,
  parameters: AuthorizationParameters,
  { browserSecret: former, pushed }: Opening,
): PreparedRequest {
  const browserSecret = newBrowserSecret(random, former);
  const createdAt = clock.now();
  const asked = {
    browserDigest: digestOf(browserSecret),
    appId: hasRow(client) ? client.appId : null,
    parameters: {
      ...parameters,
      ...(pushed !== undefined && { pushed }),
      ...((isUnstored(client) || isConsole(client)) && { documentClient: client.clientId }),
    },
    createdAt,
    expiresAt: createdAt + requestMilliseconds,
  };
  return { asked, browserSecret };
}

/** Throws `rate_limited`. */
export async function nameRequest(
  services: OpenServices,
  account: Account,
  { asked, browserSecret }: PreparedRequest,
): Promise<OpenedRequest> {
  const { store, random } = services;
  const sealed = sealRequest(services, account, asked);
  if (sealed !== null) return { requestId: sealed, browserSecret };
  await services.limits.take(account, 'authorize', { source: currentNetworkSource() });
  const requestId = newSecret(random, '');
  await store.authorizations.createRequest(unansweredRequest(account, requestId, asked));
  return { requestId, browserSecret };
}
