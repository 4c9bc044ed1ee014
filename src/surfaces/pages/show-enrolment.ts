import type { operations } from '../../../generated/pages.ts';
import { currentStep } from '../../domain/login/current-step.ts';
import { enrolmentSetup } from '../../domain/login/second-factor.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { representEnrolment } from './represent-second-factor.ts';

/**
 * GET /second-factor/enrol: the key of a new device with the form for its first code, or onward when none is to be
 * enrolled.
 */
export function showEnrolment(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'totp' | 'clientDocuments'>,
): Handler<operations['showEnrolment']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, query?.request);
    const current = await currentStep(services, account, browser);
    if (current.step !== 'enrolment') {
      return respond(303, undefined, { location: pageLink('continueAuthorization', query?.request ?? '') });
    }
    const setup = enrolmentSetup(services, account, current);
    return respond(200, ...representEnrolment(account, browser, current, setup));
  };
}
