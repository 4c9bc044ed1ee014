import type { Services } from '../../services.ts';
import type { ClientRecord, LinkedServer } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { isRegisteredUri } from '../clients/redirect-uris.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { splitScope } from '../tokens/scopes.ts';
import type { AuthorizationQuery } from './authorization-query.ts';
import { findFault } from './query-faults.ts';
import { readParameters } from './read-parameters.ts';
import { answerError, type ClientAnswer } from './redirect.ts';
import { responseModeOf } from './response-mode.ts';
import { newBrowserSecret } from './sessions.ts';

const requestMilliseconds = 10 * 60_000;

export type BegunAuthorization =
  | { readonly outcome: 'begun'; readonly requestId: string; readonly browserSecret: string }
  /** The client is told at its redirect URI. */
  | { readonly outcome: 'refused'; readonly answer: ClientAnswer };

/**
 * Begins a sign-in: checks what the client asks for and stores it, bound to the browser. Throws
 * `authorization_request_invalid` when client or redirect URI are not known, since the answer must then stay here (RFC 6749 §4.1.2.1).
 */
export async function beginAuthorization(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'signer'>,
  account: Account,
  query: AuthorizationQuery,
  browserSecret: string | undefined,
): Promise<BegunAuthorization> {
  const client = query.client_id ? await services.store.clients.find(account.id, query.client_id) : null;
  if (!client) throw pageFailure('client_id', 'The application that sent you here is not registered (client_id).');
  const redirectUri = readRedirectUri(client, query);
  const servers = serversAsked(await linkedServersOf(services, client), query);
  const responseMode = responseModeOf(query, redirectUri);
  const target = { redirectUri, responseMode };
  const read =
    findFault(client, servers, query, redirectUri) ??
    (await readParameters(services, account, client, servers, query, target));
  if ('error' in read) {
    return { outcome: 'refused', answer: answerError(account, { ...target, state: query.state ?? null }, read) };
  }
  const requestId = newSecret(services.random, '');
  const secret = newBrowserSecret(services.random, browserSecret);
  const now = services.clock.now();
  await services.store.authorizations.createRequest({
    accountId: account.id,
    digest: digestOf(requestId),
    browserDigest: digestOf(secret),
    appId: client.appId,
    parameters: read,
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
  return { outcome: 'begun', requestId, browserSecret: secret };
}

function pageFailure(name: string, message: string): Failure {
  return new Failure('authorization_request_invalid', { name, message });
}

function readRedirectUri(client: ClientRecord, { redirect_uri: asked, scope }: AuthorizationQuery): string {
  const [only, ...more] = client.redirectUris;
  // OpenID Connect Core §3.1.2.1 requires it; RFC 6749 §3.1.2.3 lets it be left out where only one is registered.
  if (asked === undefined && only !== undefined && more.length === 0 && !splitScope(scope ?? '').includes('openid'))
    return only;
  if (asked === undefined)
    throw pageFailure('redirect_uri', 'The application did not say where to return to (redirect_uri).');
  if (!isRegisteredUri(client.redirectUris, asked, client.applicationType)) {
    throw pageFailure(
      'redirect_uri',
      'The address to return to (redirect_uri) is not registered for this application.',
    );
  }
  return asked;
}

/** The API authorization servers in question: the one that `resource` names, or all (RFC 8707 §2.1). */
function serversAsked(servers: readonly LinkedServer[], { resource }: AuthorizationQuery): readonly LinkedServer[] {
  return resource ? servers.filter(({ server }) => server.resourceIdentifier === resource) : servers;
}
