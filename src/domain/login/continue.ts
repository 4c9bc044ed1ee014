import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
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

/** Where a sign-in in progress stands. */
export type Step =
  | { readonly step: 'sign_in'; readonly request: OpenRequest }
  /**
   * The user gave the right password and has something else to do, is signed in and needs a second factor, or may not
   * go on: locked, suspended, not active, or without access to the app.
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
  /** The account wants its hooks to run first: the session is used for this app for the first time. */
  | ({ readonly step: 'hooks'; readonly request: OpenRequest } & Granted)
  /** Somebody else signed in than the one user who is meant. */
  | { readonly step: 'other_user'; readonly request: OpenRequest }
  | ({ readonly step: 'granted'; readonly request: OpenRequest } & Granted);

/** What the browser is to do: show a page of ours, or go to the client with what it asked for or an error. */
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
  // A user whose password expired signs in with it first, and then chooses a new one.
  if (!session || !user || user.status === userStatuses.passwordExpired) return { step: 'sign_in', request };
  if (await needsSignIn(services, account, request, session, user)) return { step: 'sign_in', request };
  if (!isMeant(services, account, request, user))
    return { step: isSignedInFor(request, session) ? 'other_user' : 'sign_in', request };
  const failure = await findStandingFailure(services.store, user, request.client);
  if (isGuess(request) && (failure || (await needsConsent(services, account, request, user))))
    return { step: 'sign_in', request };
  if (failure) return { step: 'refused', request, user, failure };
  if (await areHooksDue(services, account, { request, session, user }))
    return { step: 'hooks', request, session, user };
  const stepUp = await findStepUp(services, account, request, session, user);
  if (stepUp === 'sign_in') return { step: 'sign_in', request };
  if (stepUp) return stepUp;
  const { decision, decidedBy } = request.record;
  if (decision === 'deny' && decidedBy === user.id) return { step: 'denied', request };
  if (await needsConsent(services, account, request, user)) {
    return { step: 'consent', request, user, apiScopes: await apiScopesOf(services, request) };
  }
  return { step: 'granted', request, session, user };
}

/** What is found to have changed between two looks, so often in a row, is not looked at again. */
const mostLooks = 4;

/**
 * Decides what comes next, and finishes the request when nothing does. Throws `authorization_request_invalid`, and for a
 * signed-in user who may not go on `user_locked`, `user_suspended`, `user_inactive`, `access_not_assigned` or `sign_in_refused`.
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

/** Null when what was found was not so any more in the transaction that would have ended the request. */
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
    // With prompt none nothing may be shown (OpenID Connect Core §3.1.2.6).
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

/** What the request ends with though the user granted it: only now is it known. */
function findLateFault(
  account: Account,
  { request, session }: Extract<Step, { readonly step: 'granted' }>,
): AuthorizationError | null {
  const { essentialAcr, responseType } = request.record.parameters;
  // OpenID Connect Core §5.5.1.1: an essential `acr` that the sign-in has not is a failure.
  if (essentialAcr !== undefined && !essentialAcr.includes(acrOf(session.amr))) return unmetAcr;
  // Who turns tokens off wants no more of them; a code is looked at when it is redeemed.
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

/** Why a form is not taken whose step is not due. */
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
  // What this request itself asked for was done when the user signed in for it.
  if (isSignedInFor({ record }, session)) return false;
  const { prompt, maxAgeSeconds } = record.parameters;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  const now = services.clock.now();
  if (maxAgeSeconds !== null && session.authenticatedAt + maxAgeSeconds * 1000 < now) return true;
  return isTooOld(session, await effectivePolicy(services, account, user, client), now);
}

/**
 * Whether the client names a user and is answered at once, with no page for that user to see: one that the user has
 * allowed nothing, or may not use, must not hear whether the name was right.
 */
function isGuess({ record: { parameters } }: OpenRequest): boolean {
  return parameters.subject !== undefined && parameters.prompt.includes('none');
}

/** Whether the user is the one whom a hint or `claims` names (OpenID Connect Core §3.1.2.1, id_token_hint; §5.5.1). */
function isMeant(
  services: Pick<Services, 'vault'>,
  account: Account,
  { record, client }: OpenRequest,
  user: UserRecord,
): boolean {
  const { subject } = record.parameters;
  return subject === undefined || subject === subjectOf(services, account, client, user);
}
