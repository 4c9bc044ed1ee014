import type { operations } from '../../../generated/pages.ts';
import { currentStep } from '../../domain/login/current-step.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { representNewPassword } from './represent.ts';

/** GET /new-password: the form, or onward when no new password is due. */
export function showNewPassword(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'clientDocuments'>,
): Handler<operations['showNewPassword']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, query?.request);
    const current = await currentStep(services, account, browser);
    if (current.step !== 'new_password') {
      return respond(303, undefined, { location: pageLink('continueAuthorization', query?.request ?? '') });
    }
    return respond(200, ...representNewPassword(account, browser, current));
  };
}
