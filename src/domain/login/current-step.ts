/** Where a sign-in in progress stands. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { consoleEndOf, isConsole } from '../clients/console-client.ts';
import { Failure } from '../failure.ts';
import { once } from '../once.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { serversOf } from '../tokens/audience.ts';
import { clientsThatMayAct } from '../tokens/exchange-rules.ts';
import { subjectOf } from '../tokens/subject.ts';
import { type BrowserState, findOpenRequest, type OpenRequest } from './authorization-request.ts';
import { type ApiScope, apiScopesOf, needsConsent } from './consent.ts';
import type { Granted } from './finish.ts';
import { areHooksDue, isSignedInFor } from './hooks-on-sso.ts';
import { findPending, findStepUp, type Pending } from './pending.ts';
import { findSession, isTooOld } from './sessions.ts';
import { findStandingFailure } from './standing.ts';

/** The current step of a sign-in in progress. */
export type Step =
  | { readonly step: 'sign_in'; readonly request: OpenRequest }
  /**
   * The user gave the right password and must do something else first, is signed in and needs a second factor, or may
   * not continue: locked, suspended, inactive, or without access to the app.
   */
  | Pending
  | {
      readonly step: 'consent';
      readonly request: OpenRequest;
      readonly user: UserRecord;
      /** The scopes asked for that are an API's. */
      readonly apiScopes: readonly ApiScope[];
      /** Other clients that may act for the user at these APIs, with the tokens of this one. */
      readonly mayAct: readonly ClientRecord[];
    }
  | { readonly step: 'denied'; readonly request: OpenRequest }
  /** The account's hooks must run first, because the session is used for this app for the first time. */
  | ({ readonly step: 'hooks'; readonly request: OpenRequest } & Granted)
  /** The signed-in user is not the one that the request names. */
  | { readonly step: 'other_user'; readonly request: OpenRequest }
  | ({ readonly step: 'granted'; readonly request: OpenRequest } & Granted);

/** Finds where a sign-in stands. Throws `authorization_request_invalid`. */
export async function currentStep(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'clientDocuments'>,
  account: Account,
  browser: BrowserState,
): Promise<Step> {
  return stepOf(services, account, await findOpenRequest(services, account, browser), browser);
}

/** The same for a request that was found. */
export async function stepOf(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'clientDocuments'>,
  account: Account,
  request: OpenRequest,
  { sessionSecret }: Pick<BrowserState, 'sessionSecret'>,
): Promise<Step> {
  const pending = await findPending(services, account, request);
  if (pending) return pending;
  const session = await findSession(services, account, sessionSecret);
  const user = session && (await services.store.users.find(account.id, session.userId));
  // A user whose password expired signs in with the old password first and then chooses a new one.
  if (!session || !user || user.status === userStatuses.passwordExpired) return { step: 'sign_in', request };
  const policy = once(() => effectivePolicy(services, account, user, request.client));
  if (await needsSignIn(services, request, session, policy)) return { step: 'sign_in', request };
  if (!isMeant(services, account, request, user))
    return { step: isSignedInFor(request, session) ? 'other_user' : 'sign_in', request };
  const failure = await findStandingFailure(services.store, account, user, request.client);
  const servers = () => serversOf(services, request.client, request.record.parameters);
  if (isGuess(request) && (failure || (await needsConsent(services, account, request, user, servers))))
    return { step: 'sign_in', request };
  if (failure) return { step: 'refused', request, user, methods: session.amr, failure };
  if (await areHooksDue(services, account, { request, session, user }))
    return { step: 'hooks', request, session, user };
  const stepUp = await findStepUp(services, account, request, session, user, policy);
  if (stepUp === 'sign_in') return { step: 'sign_in', request };
  if (stepUp) return stepUp;
  const { decision, decidedBy } = request.record;
  if (decision === 'deny' && decidedBy === user.id) return { step: 'denied', request };
  if (await needsConsent(services, account, request, user, servers)) {
    const apiScopes = await apiScopesOf(services, request);
    const { serverId } = request.record.parameters;
    const serverIds = new Set([...(serverId === null ? [] : [serverId]), ...apiScopes.map(({ server }) => server.id)]);
    const asking = { client: request.client, userId: user.id };
    const mayAct = await clientsThatMayAct(services, account, asking, [...serverIds]);
    return { step: 'consent', request, user, apiScopes, mayAct };
  }
  return { step: 'granted', request, session, user };
}

/** The error for a form whose step is not due. */
export function notDue(what: 'second factor' | 'new password'): Failure {
  return new Failure('authorization_request_invalid', { message: `No ${what} is required here. Sign in again.` });
}

/**
 * Whether a session is not enough for this request: it is too old, or the client asks for a new sign-in. `policy`: the
 * one in force in the app.
 */
export async function needsSignIn(
  services: Pick<Services, 'clock'>,
  { record, client }: OpenRequest,
  session: SessionRecord,
  policy: () => Promise<PolicyRecord>,
): Promise<boolean> {
  // What this request itself required was done when the user signed in for it.
  if (isSignedInFor({ record }, session)) return false;
  const { prompt, maxAgeSeconds } = record.parameters;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  const now = services.clock.now();
  if (maxAgeSeconds !== null && session.authenticatedAt + maxAgeSeconds * 1000 < now) return true;
  if (isConsole(client) && consoleEndOf(session) <= now) return true;
  return isTooOld(session, await policy(), now);
}

/**
 * Whether the client names a user and gets an immediate response, without a page that the user sees. A client that the
 * user has not allowed, or may not use, must not learn whether the name was right.
 */
function isGuess({ record: { parameters } }: OpenRequest): boolean {
  return parameters.subject !== undefined && parameters.prompt.includes('none');
}

/** Whether this is the user whom a hint or `claims` names (OpenID Connect Core §3.1.2.1, id_token_hint; §5.5.1). */
function isMeant(
  services: Pick<Services, 'vault'>,
  account: Account,
  { record, client }: OpenRequest,
  user: UserRecord,
): boolean {
  const { subject } = record.parameters;
  return subject === undefined || subject === subjectOf(services, account, client, user);
}
