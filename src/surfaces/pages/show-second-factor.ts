import type { operations } from '../../../generated/pages.ts';
import { currentStep } from '../../domain/login/continue.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { formHeaders } from './represent.ts';
import { representSecondFactor } from './represent-second-factor.ts';

/** GET /second-factor: the form for a code, or onward when none is due. */
export function showSecondFactor(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
): Handler<operations['showSecondFactor']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, query?.request);
    const current = await currentStep(services, account, browser);
    if (current.step !== 'second_factor') {
      return respond(303, undefined, { location: pageLink('continueAuthorization', query?.request ?? '') });
    }
    return respond(200, representSecondFactor(account, browser, current), formHeaders(current.request));
  };
}
