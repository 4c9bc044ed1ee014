/** The decision of a user on the consent page. */

import { createHmac } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { isConsole } from '../clients/console-client.ts';
import { documentMark, isUnstored, keepDocumentClient } from '../clients/document-client.ts';
import { isDocumentId } from '../clients/document-url.ts';
import { Failure } from '../failure.ts';
import { currentNetworkSource } from '../network-source.ts';
import { serversOf } from '../tokens/audience.ts';
import { apiScopeName, apiScopeNames } from '../tokens/scopes.ts';
import {
  type BrowserState,
  findOpenRequest,
  type OpenRequest,
  requestEnded,
  requireCsrf,
} from './authorization-request.ts';
import { type ApiScope, consentScopes, isAllowedAtApis, isConsentRemembered, withConsent } from './consent.ts';
import { countConsentRefusal } from './consent-refusals.ts';
import { isOwnPages } from './own-pages.ts';
import { pageFailure } from './refused-request.ts';
import { findSession } from './sessions.ts';
import { findStandingFailure } from './standing.ts';

/** The value in the consent form that identifies what the page shows: the scopes of APIs, and a client's document. */
export function shownMark(browser: BrowserState, client: ClientRecord, shown: readonly ApiScope[]): string {
  return markOf(
    browser,
    client,
    shown.map(({ value, server }) => apiScopeName(value, server.id)),
  );
}

/** For this browser and request only, like `csrfToken`; empty without scopes of APIs and without a document. */
function markOf({ browserSecret, requestId }: BrowserState, client: ClientRecord, ofApis: readonly string[]): string {
  const names = [...ofApis, ...(isDocumentId(client.clientId) ? [documentMark(client)] : [])];
  if (names.length === 0) return '';
  const text = JSON.stringify(['shown', requestId, names.toSorted()]);
  return createHmac('sha256', browserSecret ?? '')
    .update(text)
    .digest('base64url');
}

/** What the consent page sends. */
interface ConsentForm {
  readonly csrf: string | undefined;
  readonly decision: string | undefined;
  /** See `shownMark`. */
  readonly shown: string | undefined;
}

/**
 * Keeps what the signed-in user decided for a request, and remembers it where `isConsentRemembered`. The same decision
 * again changes nothing and is not told. Where other APIs have the scopes by now than those that the page showed, or the
 * client's document has changed, nothing is allowed, and the page is due again. Throws `authorization_request_invalid`,
 * `cross_site_request`, `parameter_missing`, `rate_limited`, and for a client with a document what keeps the user out.
 */
export async function decideConsent(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits' | 'clientDocuments'>,
  account: Account,
  browser: BrowserState,
  { csrf, decision, shown = '' }: ConsentForm,
): Promise<void> {
  const { record, client } = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  if (isOwnPages(client) || isConsole(client)) {
    throw new Failure('authorization_request_invalid', { message: 'There is nothing to consent to here.' });
  }
  const session = await findSession(services, account, browser.sessionSecret);
  if (!session) throw notSignedIn();
  if (decision !== 'allow' && decision !== 'deny') {
    throw new Failure('parameter_missing', { name: 'decision', message: 'decision must be allow or deny' });
  }
  // A script in a signed-in browser could change the decision without end, so the number is limited.
  await services.limits.take(account, 'authorize', { session: session.sid });
  // The client gets an app here, as others do when they register.
  if (decision === 'allow' && isUnstored(client)) {
    await services.limits.take(account, 'register-open', { source: currentNetworkSource() });
  }
  const isNew = await services.store.transaction(async (tx) => {
    const { userId: id } = session;
    // Whoever ends the session locks its user first: nothing is allowed in one that has ended.
    const user = await tx.users.lock(account.id, id);
    if (!user || !(await tx.sessions.find(account.id, session.digest))) throw notSignedIn();
    if (await tx.authorizations.hasEnded(account.id, record.digest)) throw requestEnded();
    const { parameters } = record;
    const servers = await serversOf({ store: tx }, client, parameters);
    const apiScopes = apiScopeNames(parameters.scope, parameters.serverId, servers);
    if (decision === 'allow' && shown !== markOf(browser, client, apiScopes)) return false;
    // Under the user's lock: of a form that is sent many times at once, one is the first.
    const kept = await tx.authorizations.findRequest(account.id, record.digest);
    if (kept && isKept(kept, decision, id, servers)) return false;
    if (decision === 'deny') {
      await tx.authorizations.decide(record, decision, id, apiScopes);
      await recordDenial(services, tx, account, client, id);
      return true;
    }
    const { appId } = await agreedTo(services, tx, account, client, user);
    await tx.authorizations.decide({ ...record, appId }, decision, id, apiScopes);
    await recordEvent(tx, services, account, {
      actor: { type: 'user', id },
      target: { type: 'app', id: appId },
      action: 'consent.allowed',
      detail: { user_id: id, scope: consentScopes(parameters) },
    });
    if (!isConsentRemembered(account, client)) return true;
    const former = (await tx.authorizations.findConsent(account.id, id, appId)) ?? [];
    const allowed = withConsent(former, client, parameters, servers);
    await tx.authorizations.saveConsent(account.id, id, appId, allowed, services.clock.now());
    return true;
  });
  if (isNew && decision === 'deny') await countConsentRefusal(services, account, client, session.userId);
}

/** The client with its row. One that is known by its document gets it here, from a user who may use it. */
async function agreedTo(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  user: UserRecord,
): Promise<ClientRecord> {
  if (!isDocumentId(client.clientId)) return client;
  const failure = await findStandingFailure(tx, account, user, client);
  if (failure) throw failure;
  const kept = await keepDocumentClient(services, tx, account, client, user.id);
  if (kept) return kept;
  throw pageFailure(
    'client_id',
    'client_documents_full',
    'No more applications of this kind can be allowed here. Ask the administrator of this account.',
  );
}

/** Where there is no app yet, the user is the only one whom the event is about. */
function recordDenial(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  id: number,
): Promise<void> {
  const actor = { type: 'user', id } as const;
  const target = isUnstored(client) ? actor : ({ type: 'app', id: client.appId } as const);
  const detail = { user_id: id, ...(isUnstored(client) && { client_id: client.clientId }) };
  return recordEvent(tx, services, account, { action: 'consent.denied', actor, target, detail });
}

/** Whether the same user has decided the same before, about no less than is asked for now. */
function isKept(
  { decision, decidedBy, parameters }: OpenRequest['record'],
  decided: 'allow' | 'deny',
  userId: number,
  servers: readonly LinkedServer[],
): boolean {
  if (decision !== decided || decidedBy !== userId) return false;
  return decided === 'deny' || isAllowedAtApis(parameters, parameters.apiScopes ?? [], servers);
}

function notSignedIn(): Failure {
  return new Failure('authorization_request_invalid', { message: 'You are no longer signed in.' });
}
