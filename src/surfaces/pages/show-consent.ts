import type { operations } from '../../../generated/pages.ts';
import { currentStep } from '../../domain/login/current-step.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { representConsent } from './represent-consent.ts';

/** GET /consent: what the application asks for, or onward when there is nothing to decide. */
export function showConsent(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'clientDocuments'>,
): Handler<operations['showConsent']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, query?.request);
    const current = await currentStep(services, account, browser);
    if (current.step !== 'consent') {
      return respond(303, undefined, { location: pageLink('continueAuthorization', query?.request ?? '') });
    }
    return respond(200, ...representConsent(services, account, browser, current));
  };
}
