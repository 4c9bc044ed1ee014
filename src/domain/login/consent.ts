import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { LinkedServer, ServerScopeRecord } from '../../store/authorization-servers.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { apiScopeNames, isAboutUser } from '../tokens/scopes.ts';
import { type BrowserState, findOpenRequest, type OpenRequest, requireCsrf } from './authorization-request.ts';
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

/** Whether the user has to be asked. */
export async function needsConsent(
  { store }: { readonly store: Pick<StoreVerbs, 'authorizations' | 'authorizationServers'> },
  account: Account,
  { record, client }: OpenRequest,
  user: UserRecord,
): Promise<boolean> {
  if (isOwnPages(client) || (record.decision === 'allow' && record.decidedBy === user.id)) return false;
  // The person who typed the code must see whose device it is, so stored consent is not enough (RFC 8628 §5.4).
  if (record.parameters.device) return true;
  if (client.registeredBy === 'open' || record.parameters.prompt.includes('consent')) return true;
  const allowed = await store.authorizations.findConsent(account.id, user.id, client.appId);
  return allowed === null || !isAllowed(record.parameters, allowed, await linkedServersOf({ store }, client));
}

/** The requested scopes that belong to an API, with their owner's descriptions. */
export async function apiScopesOf(
  services: Pick<Services, 'store'>,
  { record, client }: OpenRequest,
): Promise<readonly ServerScopeRecord[]> {
  const { scope, serverId } = record.parameters;
  const servers = await linkedServersOf(services, client);
  const named = servers.filter(({ server }) => serverId === null || server.id === serverId);
  return named.flatMap(({ scopes }) => scopes).filter(({ value }) => scope.includes(value));
}

/**
 * Stores the signed-in user's decision about a request. Consent to a client that a caller registered is remembered; for
 * an open-registered client the user is asked every time. Repeating a decision changes nothing and records nothing.
 * Throws `authorization_request_invalid`, `cross_site_request`, `parameter_missing`, `rate_limited`.
 */
export async function decideConsent(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  decision: string | undefined,
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
    // Everything that ends the session locks its user first: an ended session cannot allow anything.
    await tx.users.lock(account.id, session.userId);
    if (!(await tx.sessions.find(account.id, session.digest))) throw notSignedIn();
    // Under the user's lock, so that one of many simultaneous submissions of a form is the first.
    const kept = await tx.authorizations.findRequest(account.id, record.digest);
    if (kept?.decision === decision && kept.decidedBy === session.userId) return;
    await tx.authorizations.decide(record, decision, session.userId);
    const { userId: id } = session;
    const scope = consentScopes(record.parameters);
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
    const servers = await linkedServersOf({ store: tx }, client);
    const former = (await tx.authorizations.findConsent(account.id, session.userId, client.appId)) ?? [];
    const allowed = [...new Set([...former, ...consentNames(record.parameters, servers)])];
    await tx.authorizations.saveConsent(account.id, id, client.appId, allowed, services.clock.now());
  });
}

function notSignedIn(): Failure {
  return new Failure('authorization_request_invalid', { message: 'You are no longer signed in.' });
}
