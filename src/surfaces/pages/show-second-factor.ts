import type { operations } from '../../../generated/pages.ts';
import { currentStep } from '../../domain/login/current-step.ts';
import { findFactorWays } from '../../domain/login/second-passkey.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { representSecondFactor } from './represent-second-factor.ts';

/**
 * GET /second-factor: the forms for a code and for a passkey, as far as the user has either, or onward when none is
 * due.
 */
export function showSecondFactor(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'random' | 'passkeys' | 'clientDocuments'>,
): Handler<operations['showSecondFactor']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, query?.request);
    const current = await currentStep(services, account, browser);
    if (current.step !== 'second_factor') {
      return respond(303, undefined, { location: pageLink('continueAuthorization', query?.request ?? '') });
    }
    const ways = await findFactorWays(services, account, current);
    return respond(200, ...representSecondFactor(account, browser, current, ways));
  };
}
