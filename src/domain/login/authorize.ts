import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { hasRow, isConsole } from '../clients/console-client.ts';
import { isRegisteredUri } from '../clients/redirect-uris.ts';
import { mustPush } from '../clients/security-profile.ts';
import { Failure } from '../failure.ts';
import type { AuthorizationQuery, SentQuery } from './authorization-query.ts';
import type { BrowserState, OpenRequest } from './authorization-request.ts';
import { checkRequest } from './check-request.ts';
import { answerGranted } from './continue.ts';
import { stepOf } from './current-step.ts';
import type { FinishServices } from './finish.ts';
import { nameRequest, type OpenedRequest, type OpenServices, prepareRequest } from './open-request.ts';
import { findPushed, isPushedUri, usedUp } from './pushed-request.ts';
import { type AnswerTarget, type AuthorizationError, answerError, type ClientAnswer, unseen } from './redirect.ts';
import { findForPage, pageFailure, recordRefusedRequest, unknownClient } from './refused-request.ts';
import { fetchRequestObject, readRequestObject, unsignedFault } from './request-object.ts';
import { deliveryOf } from './response-mode.ts';
import { unansweredRequest } from './sealed-request.ts';

type BegunAuthorization =
  | ({ readonly outcome: 'begun' } & OpenedRequest)
  /** The session of the browser grants the request, and no page comes before the answer. */
  | { readonly outcome: 'granted'; readonly answer: ClientAnswer }
  /** The client is told at its redirect URI. */
  | { readonly outcome: 'refused'; readonly answer: ClientAnswer; readonly error: AuthorizationError['error'] };

export type AuthorizeServices = OpenServices & FinishServices & Pick<Services, 'clientKeys' | 'egress' | 'onceAnHour'>;

/** What the browser sent with the request. */
type Browser = Omit<BrowserState, 'requestId'>;

/**
 * Checks the client's request, and answers it if the browser's session grants it; otherwise begins a sign-in, bound to
 * the browser. Throws `authorization_request_invalid` when the client or the redirect URI is unknown; that error must
 * not be redirected (RFC 6749 §4.1.2.1). Throws `rate_limited`.
 */
export async function beginAuthorization(
  services: AuthorizeServices,
  account: Account,
  query: SentQuery,
  browser: Browser,
): Promise<BegunAuthorization> {
  const client = query.client_id ? await findForPage(services, account, query.client_id) : null;
  if (!client) throw unknownClient(query);
  try {
    const begun = await begin(services, account, client, query, browser);
    if (begun.outcome === 'refused') {
      const refused = { reason: begun.error, told: 'client', address: query.redirect_uri } as const;
      await recordRefusedRequest(services, account, client, refused);
    }
    return begun;
  } catch (error) {
    const { code, detail } = error instanceof Failure ? error : new Failure('internal');
    const { reason, asked = {} } = detail;
    if (code !== 'authorization_request_invalid' || reason === undefined) throw error;
    const address = asked.address ?? query.redirect_uri;
    await recordRefusedRequest(services, account, client, { reason, told: 'user', address });
    const { appId, clientId } = client;
    const known = { clientId, ...(hasRow(client) && { appId }) };
    throw new Failure(code, { ...detail, asked: { ...known, ...(address !== undefined && { address }) } });
  }
}

async function begin(
  services: AuthorizeServices,
  account: Account,
  client: ClientRecord,
  query: SentQuery,
  browser: Browser,
): Promise<BegunAuthorization> {
  const asked = await askedOf(services, account, client, query);
  if ('error' in asked) return refuseUnread(services, account, client, query, asked);
  const { target, read } = await checkRequest(services, account, client, asked.query);
  if ('error' in read) return refuse(services, account, client, target, read);
  const prepared = prepareRequest(services, client, read, {
    browserSecret: browser.browserSecret,
    pushed: asked.digest,
  });
  const request = { record: unansweredRequest(account, null, prepared.asked), client };
  const granted = await answerAtOnce(services, account, request, browser);
  if (granted) return { outcome: 'granted', ...granted };
  return { outcome: 'begun', ...(await nameRequest(services, account, prepared)) };
}

/** Null where a page, a hook or a refusal comes first. */
async function answerAtOnce(
  services: FinishServices,
  account: Account,
  request: OpenRequest,
  browser: Browser,
): Promise<{ readonly answer: ClientAnswer } | null> {
  if (browser.sessionSecret === undefined) return null;
  const current = await stepOf(services, account, request, browser);
  return current.step === 'granted' ? answerGranted(services, account, current) : null;
}

/** The actual request: sent directly, pushed before (RFC 9126 §4), or in a request object (RFC 9101 §5). */
async function askedOf(
  services: AuthorizeServices,
  account: Account,
  client: ClientRecord,
  { request, request_uri: uri, ...query }: SentQuery,
): Promise<{ readonly query: AuthorizationQuery; readonly digest?: string } | AuthorizationError> {
  if (request !== undefined && uri !== undefined) {
    return { error: 'invalid_request', description: 'request and request_uri are mutually exclusive' };
  }
  if (uri !== undefined && isPushedUri(uri)) {
    const pushed = await findPushed(services, account, client, uri);
    // The other parameters do not count, so there is no redirect URI to send the error to.
    if (!pushed) throw usedUp(account, client);
    return pushed;
  }
  if (mustPush(account, client) && !isConsole(client)) {
    return { error: 'invalid_request', description: 'the client must push its requests (RFC 9126)' };
  }
  const object = uri === undefined ? request : await fetchRequestObject(services, account, client, uri);
  if (object === undefined) return unsignedFault(client) ?? { query };
  if (typeof object !== 'string') return object;
  const read = await readRequestObject(services, account, client, object);
  return 'error' in read ? read : { query: read };
}

/** The error goes to the redirect URI beside the request object if that URI is registered for the client. */
async function refuseUnread(
  services: AuthorizeServices,
  account: Account,
  client: ClientRecord,
  query: SentQuery,
  error: AuthorizationError,
): Promise<BegunAuthorization> {
  const { redirect_uri: redirectUri, state = null } = query;
  if (redirectUri === undefined || !isRegisteredUri(client.redirectUris, redirectUri, client.applicationType)) {
    throw pageFailure('request', error.error, `The application sent an invalid request: ${error.description}.`);
  }
  const target = { redirectUri, state, ...deliveryOf(query, redirectUri) };
  return refuse(services, account, client, target, error);
}

async function refuse(
  services: AuthorizeServices,
  account: Account,
  client: ClientRecord,
  target: AnswerTarget,
  error: AuthorizationError,
): Promise<BegunAuthorization> {
  const answer = unseen(client, await answerError(services, account, client, target, error));
  return { outcome: 'refused', answer, error: error.error };
}
