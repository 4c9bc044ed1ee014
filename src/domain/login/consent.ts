import { createHmac } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { AuthorizationServerRecord, LinkedServer } from '../../store/authorization-servers.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { apiScopeName, apiScopeNames, isAboutUser } from '../tokens/scopes.ts';
import {
  type BrowserState,
  findOpenRequest,
  type OpenRequest,
  requestEnded,
  requireCsrf,
} from './authorization-request.ts';
import { scopesOfClaims } from './claims-request.ts';
import { isOwnPages } from './own-pages.ts';
import { findSession } from './sessions.ts';

/** The members of a request that consent depends on. */
export type AskedConsent = Pick<AuthorizationParameters, 'scope' | 'serverId' | 'claims' | 'offlineAccess'>;

/** Tokens never have this scope and no API does, but the user is asked about it (OpenID Connect Core §11). */
const offlineAccess = 'offline_access';

/**
 * The scopes that a user is asked about: the requested ones, those of single requested claims, and `offline_access`.
 */
export function consentScopes(parameters: AskedConsent): readonly string[] {
  const offline = parameters.offlineAccess ? [offlineAccess] : [];
  return [...new Set([...parameters.scope, ...scopesOfClaims(parameters), ...offline])];
}

/**
 * The names under which consent to a request is stored. An API's scope is stored with its API, because another API,
 * linked now or later, may have a scope of the same name.
 */
function consentNames(parameters: AskedConsent, servers: readonly LinkedServer[]): readonly string[] {
  const { scope, serverId } = parameters;
  const ofNoApi = consentScopes(parameters).filter((name) => isAboutUser(name) || name === offlineAccess);
  return [...ofNoApi, ...apiScopeNames(scope, serverId, servers)];
}

/** The requested scope that belongs to a stored name; older releases stored scopes of APIs without the API. */
export function scopeOfConsent(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

/**
 * Whether the user has allowed everything that a request asks for, at each of the client's `servers` that it is for.
 */
export function isAllowed(
  parameters: AskedConsent,
  allowed: readonly string[],
  servers: readonly LinkedServer[],
): boolean {
  return consentNames(parameters, servers).every((name) => allowed.includes(name));
}

/** The same of the part that is about APIs alone. */
export function isAllowedAtApis(
  { scope, serverId }: Pick<AskedConsent, 'scope' | 'serverId'>,
  allowed: readonly string[],
  servers: readonly LinkedServer[],
): boolean {
  return apiScopeNames(scope, serverId, servers).every((name) => allowed.includes(name));
}

/** Whether the user has to be asked, where the client is linked to these API authorization servers. */
export async function needsConsent(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizations'> },
  account: Account,
  { record, client }: OpenRequest,
  user: UserRecord,
  serversOfClient: () => Promise<readonly LinkedServer[]>,
): Promise<boolean> {
  if (isOwnPages(client)) return false;
  const { parameters, decision, decidedBy } = record;
  const servers = await serversOfClient();
  const isDecided = decision === 'allow' && decidedBy === user.id;
  if (isDecided && isAllowedAtApis(parameters, parameters.apiScopes ?? [], servers)) return false;
  // Who typed the code has to see whose device it is: nothing that was remembered says that (RFC 8628 §5.4).
  if (parameters.device) return true;
  if (client.registeredBy === 'open' || parameters.prompt.includes('consent')) return true;
  const allowed = await store.authorizations.findConsent(account.id, user.id, client.appId);
  return allowed === null || !isAllowed(parameters, allowed, servers);
}

/** A scope that is asked for at one API, as the consent page shows it. */
export interface ApiScope {
  readonly value: string;
  /** As the API's owner describes it. */
  readonly description: string | null;
  readonly server: Pick<AuthorizationServerRecord, 'id' | 'name' | 'resourceIdentifier'>;
}

/** The scopes asked for that are an API's: of several APIs that have one of the same name, each. */
export async function apiScopesOf(
  services: Pick<Services, 'store'>,
  { record, client }: OpenRequest,
): Promise<readonly ApiScope[]> {
  const { scope, serverId } = record.parameters;
  const servers = await linkedServersOf(services, client);
  const named = servers.filter(({ server }) => serverId === null || server.id === serverId);
  return named.flatMap(({ server, scopes }) =>
    scopes
      .filter(({ value }) => scope.includes(value))
      .map(({ value, description }) => ({ value, description, server })),
  );
}

/** What the form of a consent page says of the scopes of APIs that the page shows. */
export function shownMark(browser: BrowserState, shown: readonly ApiScope[]): string {
  return markOf(
    browser,
    shown.map(({ value, server }) => apiScopeName(value, server.id)),
  );
}

/** For this browser and request alone, as `csrfToken` is; empty for nothing of an API. */
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
 * Keeps what the signed-in user decided for a request. Consent to a client that a caller registered is remembered; one
 * that anyone registered is asked every time. The same decision again changes nothing and is not told. Where other
 * APIs have the scopes by now than those that the page showed, nothing is allowed, and the page is due again. Throws
 * `authorization_request_invalid`, `cross_site_request`, `parameter_missing`, `rate_limited`.
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
  await services.store.transaction(async (tx) => {
    const { userId: id } = session;
    // Whoever ends the session locks its user first: nothing is allowed in one that has ended.
    await tx.users.lock(account.id, id);
    if (!(await tx.sessions.find(account.id, session.digest))) throw notSignedIn();
    if (await tx.authorizations.hasEnded(account.id, record.digest)) throw requestEnded();
    const { parameters } = record;
    const servers = await linkedServersOf({ store: tx }, client);
    const apiScopes = apiScopeNames(parameters.scope, parameters.serverId, servers);
    if (decision === 'allow' && shown !== markOf(browser, apiScopes)) return;
    // Under the user's lock: of a form that is sent many times at once, one is the first.
    const kept = await tx.authorizations.findRequest(account.id, record.digest);
    if (kept && isKept(kept, decision, id, servers)) return;
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
    if (decision === 'deny' || client.registeredBy === 'open') return;
    const former = (await tx.authorizations.findConsent(account.id, id, client.appId)) ?? [];
    const allowed = [...new Set([...former, ...consentNames(parameters, servers)])];
    await tx.authorizations.saveConsent(account.id, id, client.appId, allowed, services.clock.now());
  });
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
