import type { operations } from '../../../generated/pages.ts';
import { currentStep } from '../../domain/login/current-step.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { representSignIn } from './represent.ts';

/** GET /sign-in: the form, or onward when the browser is signed in already. */
export function showSignIn(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'random' | 'passkeys' | 'clientDocuments'>,
): Handler<operations['showSignIn']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, query?.request);
    const current = await currentStep(services, account, browser);
    const { record } = current.request;
    if (current.step !== 'sign_in') {
      return respond(303, undefined, { location: pageLink('continueAuthorization', query?.request ?? '') });
    }
    const given = { username: record.parameters.loginHint ?? '' };
    return respond(200, ...representSignIn(services, account, browser, current.request, given));
  };
}
