/** The decision of a user on the consent page. */

import { createHmac } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { serversOf } from '../tokens/audience.ts';
import { apiScopeName, apiScopeNames } from '../tokens/scopes.ts';
import {
  type BrowserState,
  findOpenRequest,
  type OpenRequest,
  requestEnded,
  requireCsrf,
} from './authorization-request.ts';
import { type ApiScope, consentNames, consentScopes, isAllowedAtApis, isConsentRemembered } from './consent.ts';
import { countRefusal } from './consent-refusals.ts';
import { isOwnPages } from './own-pages.ts';
import { findSession } from './sessions.ts';

/** The value in the consent form that identifies the scopes of APIs that the page shows. */
export function shownMark(browser: BrowserState, shown: readonly ApiScope[]): string {
  return markOf(
    browser,
    shown.map(({ value, server }) => apiScopeName(value, server.id)),
  );
}

/** For this browser and request only, like `csrfToken`; empty without scopes of APIs. */
function markOf({ browserSecret, requestId }: BrowserState, names: readonly string[]): string {
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
 * again changes nothing and is not told. Where other APIs have the scopes by now than those that the page showed, nothing
 * is allowed, and the page is due again. Throws `authorization_request_invalid`, `cross_site_request`,
 * `parameter_missing`, `rate_limited`.
 */
export async function decideConsent(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>,
  account: Account,
  browser: BrowserState,
  { csrf, decision, shown = '' }: ConsentForm,
): Promise<void> {
  const { record, client } = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  if (isOwnPages(client)) {
    throw new Failure('authorization_request_invalid', { message: 'There is nothing to consent to here.' });
  }
  const session = await findSession(services, account, browser.sessionSecret);
  if (!session) throw notSignedIn();
  if (decision !== 'allow' && decision !== 'deny') {
    throw new Failure('parameter_missing', { name: 'decision', message: 'decision must be allow or deny' });
  }
  // A script in a signed-in browser could change the decision without end, so the number is limited.
  await services.limits.take(account, 'authorize', { session: session.sid });
  const isNew = await services.store.transaction(async (tx) => {
    const { userId: id } = session;
    // Whoever ends the session locks its user first: nothing is allowed in one that has ended.
    await tx.users.lock(account.id, id);
    if (!(await tx.sessions.find(account.id, session.digest))) throw notSignedIn();
    if (await tx.authorizations.hasEnded(account.id, record.digest)) throw requestEnded();
    const { parameters } = record;
    const servers = await serversOf({ store: tx }, client, parameters);
    const apiScopes = apiScopeNames(parameters.scope, parameters.serverId, servers);
    if (decision === 'allow' && shown !== markOf(browser, apiScopes)) return false;
    // Under the user's lock: of a form that is sent many times at once, one is the first.
    const kept = await tx.authorizations.findRequest(account.id, record.digest);
    if (kept && isKept(kept, decision, id, servers)) return false;
    await tx.authorizations.decide(record, decision, id, apiScopes);
    const scope = consentScopes(parameters);
    const about = { actor: { type: 'user', id }, target: { type: 'app', id: client.appId } } as const;
    await recordEvent(
      tx,
      services,
      account,
      decision === 'deny'
        ? { ...about, action: 'consent.denied', detail: { user_id: id } }
        : { ...about, action: 'consent.allowed', detail: { user_id: id, scope } },
    );
    if (decision === 'deny' || !isConsentRemembered(account, client)) return true;
    const former = (await tx.authorizations.findConsent(account.id, id, client.appId)) ?? [];
    const allowed = [...new Set([...former, ...consentNames(parameters, servers)])];
    await tx.authorizations.saveConsent(account.id, id, client.appId, allowed, services.clock.now());
    return true;
  });
  if (isNew && decision === 'deny') await countRefusal(services, account, client, session.userId);
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
