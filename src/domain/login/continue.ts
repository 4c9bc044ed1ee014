/** What comes next in a sign-in in progress. */

import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { RunServices } from '../hooks/one-run.ts';
import type { BrowserState } from './authorization-request.ts';
import { isWornOut } from './consent-refusals.ts';
import { currentStep, type Step } from './current-step.ts';
import { type FinishServices, finishRequest, type Granted } from './finish.ts';
import { runHooksOnSso } from './hooks-on-sso.ts';
import { acrOf } from './methods.ts';
import type { DueFactor } from './pending.ts';
import { unmetAcr } from './read-parameters.ts';
import type { AuthorizationError, ClientAnswer } from './redirect.ts';
import { responseTypeFault } from './response-type.ts';

/** What the browser does next: show one of our pages, or go to the client with the response or an error. */
export type NextStep =
  | { readonly show: 'sign_in' | 'second_factor' | 'enrolment' | 'new_password' | 'consent' }
  | { readonly answer: ClientAnswer };

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
  const end = (result: Granted | AuthorizationError, unasked: number | null = null) =>
    finishRequest(services, account, current.request, result, unasked);
  switch (current.step) {
    case 'granted':
      return answerGranted(services, account, current);
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
      if (silent) return end({ error: 'consent_required', description: 'consent is missing' });
      if (await isWornOut(services, account, current.request.client, current.user.id))
        return end(refusedOften, current.user.id);
      return { show: 'consent' };
  }
}

type GrantedStep = Extract<Step, { readonly step: 'granted' }>;

/** Ends a request that the browser's session grants; null when the state has changed since it was read. */
export function answerGranted(
  services: FinishServices,
  account: Account,
  granted: GrantedStep,
): Promise<{ readonly answer: ClientAnswer } | null> {
  return finishRequest(services, account, granted.request, findLateFault(account, granted) ?? granted);
}

/** An error that is known only now, after the user has granted the request. */
function findLateFault(account: Account, { request, session }: GrantedStep): AuthorizationError | null {
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

const refusedOften: AuthorizationError = {
  error: 'access_denied',
  description: 'the user has refused several times and is not asked again for a while',
};

/** OpenID Connect Core §3.1.2.6. */
function silentFactor({ session }: DueFactor): AuthorizationError {
  return session
    ? { error: 'interaction_required', description: 'a second factor is required' }
    : { error: 'login_required', description: 'nobody is signed in' };
}
