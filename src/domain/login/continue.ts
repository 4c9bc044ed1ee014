import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { linkedServersOf } from '../tokens/audience.ts';
import { subjectOf } from '../tokens/subject.ts';
import { type BrowserState, findOpenRequest, type OpenRequest } from './authorization-request.ts';
import { type ApiScope, apiScopesOf, needsConsent } from './consent.ts';
import { type FinishServices, finishRequest, type Granted } from './finish.ts';
import { areHooksDue, isSignedInFor, runHooksOnSso } from './hooks-on-sso.ts';
import { acrOf } from './methods.ts';
import { type DueFactor, findPending, findStepUp, type Pending } from './pending.ts';
import { unmetAcr } from './read-parameters.ts';
import type { AuthorizationError, ClientAnswer } from './redirect.ts';
import { responseTypeFault } from './response-type.ts';
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
    }
  | { readonly step: 'denied'; readonly request: OpenRequest }
  /** The account's hooks must run first, because the session is used for this app for the first time. */
  | ({ readonly step: 'hooks'; readonly request: OpenRequest } & Granted)
  /** The signed-in user is not the one that the request names. */
  | { readonly step: 'other_user'; readonly request: OpenRequest }
  | ({ readonly step: 'granted'; readonly request: OpenRequest } & Granted);

/** What the browser does next: show one of our pages, or go to the client with the response or an error. */
export type NextStep =
  | { readonly show: 'sign_in' | 'second_factor' | 'enrolment' | 'new_password' | 'consent' }
  | { readonly answer: ClientAnswer };

/** Finds where a sign-in stands. Throws `authorization_request_invalid`. */
export async function currentStep(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  browser: BrowserState,
): Promise<Step> {
  const request = await findOpenRequest(services, account, browser);
  const pending = await findPending(services, account, request);
  if (pending) return pending;
  const session = await findSession(services, account, browser.sessionSecret);
  const user = session && (await services.store.users.find(account.id, session.userId));
  // A user whose password expired signs in with the old password first and then chooses a new one.
  if (!session || !user || user.status === userStatuses.passwordExpired) return { step: 'sign_in', request };
  if (await needsSignIn(services, account, request, session, user)) return { step: 'sign_in', request };
  if (!isMeant(services, account, request, user))
    return { step: isSignedInFor(request, session) ? 'other_user' : 'sign_in', request };
  const failure = await findStandingFailure(services.store, user, request.client);
  const servers = () => linkedServersOf(services, request.client);
  if (isGuess(request) && (failure || (await needsConsent(services, account, request, user, servers))))
    return { step: 'sign_in', request };
  if (failure) return { step: 'refused', request, user, failure };
  if (await areHooksDue(services, account, { request, session, user }))
    return { step: 'hooks', request, session, user };
  const stepUp = await findStepUp(services, account, request, session, user);
  if (stepUp === 'sign_in') return { step: 'sign_in', request };
  if (stepUp) return stepUp;
  const { decision, decidedBy } = request.record;
  if (decision === 'deny' && decidedBy === user.id) return { step: 'denied', request };
  if (await needsConsent(services, account, request, user, servers)) {
    return { step: 'consent', request, user, apiScopes: await apiScopesOf(services, request) };
  }
  return { step: 'granted', request, session, user };
}

/** The maximum number of consecutive attempts when the state keeps changing between reads. */
const mostLooks = 4;

/**
 * Determines the next step, and finishes the request when nothing is left to do. Throws
 * `authorization_request_invalid`, and for a signed-in user who may not continue `user_locked`, `user_suspended`,
 * `user_inactive`, `access_not_assigned` or `sign_in_refused`.
 */
export async function continueAuthorization(
  services: FinishServices & RunServices,
  account: Account,
  browser: BrowserState,
): Promise<NextStep> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const next = await nextStep(services, account, browser);
    if (next) return next;
  }
  throw new Failure('unavailable', { reason: 'the session changes all the time', retryAfterSeconds: 1 });
}

/** Null when the state had changed by the time of the transaction that would have ended the request. */
async function nextStep(
  services: FinishServices & RunServices,
  account: Account,
  browser: BrowserState,
): Promise<NextStep | null> {
  const current = await currentStep(services, account, browser);
  const silent = current.request.record.parameters.prompt.includes('none');
  const end = (result: Granted | AuthorizationError) => finishRequest(services, account, current.request, result);
  switch (current.step) {
    case 'granted':
      return end(findLateFault(account, current) ?? current);
    case 'other_user':
      return end({ error: 'login_required', description: 'the signed-in user is not the requested user' });
    case 'denied':
      return end({ error: 'access_denied', description: 'the user did not consent' });
    // With `prompt=none` no page may be shown (OpenID Connect Core §3.1.2.6).
    case 'sign_in':
      return silent ? end({ error: 'login_required', description: 'nobody is signed in' }) : { show: 'sign_in' };
    case 'new_password':
      return silent ? end({ error: 'login_required', description: 'nobody is signed in' }) : { show: 'new_password' };
    case 'second_factor':
    case 'enrolment':
      return silent ? end(silentFactor(current)) : { show: current.step };
    case 'hooks': {
      const stopped = await runHooksOnSso(services, account, current);
      if (!stopped) return null;
      if (silent) return end(notAllowed);
      throw stopped.failure;
    }
    case 'refused':
      if (silent) return end(notAllowed);
      throw current.failure;
    case 'consent':
      return silent ? end({ error: 'consent_required', description: 'consent is missing' }) : { show: 'consent' };
  }
}

/** An error that is known only now, after the user has granted the request. */
function findLateFault(
  account: Account,
  { request, session }: Extract<Step, { readonly step: 'granted' }>,
): AuthorizationError | null {
  const { essentialAcr, responseType } = request.record.parameters;
  // OpenID Connect Core §5.5.1.1: a sign-in without an essential `acr` has failed.
  if (essentialAcr !== undefined && !essentialAcr.includes(acrOf(session.amr))) return unmetAcr;
  // An account that turns implicit tokens off stops issuing them at once; a code is checked when it is redeemed.
  return responseType === undefined ? null : responseTypeFault(account, request.client, responseType);
}

const notAllowed: AuthorizationError = {
  error: 'access_denied',
  description: 'the user may not use this application',
};

/** OpenID Connect Core §3.1.2.6. */
function silentFactor({ session }: DueFactor): AuthorizationError {
  return session
    ? { error: 'interaction_required', description: 'a second factor is required' }
    : { error: 'login_required', description: 'nobody is signed in' };
}

/** The error for a form whose step is not due. */
export function notDue(what: 'second factor' | 'new password'): Failure {
  return new Failure('authorization_request_invalid', { message: `No ${what} is required here. Sign in again.` });
}

async function needsSignIn(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  { record, client }: OpenRequest,
  session: SessionRecord,
  user: UserRecord,
): Promise<boolean> {
  // What this request itself required was done when the user signed in for it.
  if (isSignedInFor({ record }, session)) return false;
  const { prompt, maxAgeSeconds } = record.parameters;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  const now = services.clock.now();
  if (maxAgeSeconds !== null && session.authenticatedAt + maxAgeSeconds * 1000 < now) return true;
  return isTooOld(session, await effectivePolicy(services, account, user, client), now);
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
