import type { operations } from '../../../generated/pages.ts';
import type { RunServices } from '../../domain/hooks/one-run.ts';
import { continueAuthorization as next } from '../../domain/login/continue.ts';
import type { FinishServices } from '../../domain/login/finish.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { deliver } from '../../pages/deliver.ts';
import { pageLink } from '../../pages/links.ts';

const pageOf = {
  sign_in: 'showSignIn',
  second_factor: 'showSecondFactor',
  enrolment: 'showEnrolment',
  new_password: 'showNewPassword',
  consent: 'showConsent',
} as const;

/**
 * GET /continue: 303 to the next page or to the client with what it asked for or an error; a page whose form takes it
 * there where the client asks for that.
 */
export function continueAuthorization(
  services: FinishServices & RunServices,
): Handler<operations['continueAuthorization']> {
  return async ({ query, origin: { account, cookies } }, respond) => {
    const step = await next(services, account, browserState(account, cookies, query?.request));
    if ('show' in step) return respond(303, undefined, { location: pageLink(pageOf[step.show], query?.request ?? '') });
    const delivery = deliver(account, step.answer);
    return 'location' in delivery ? respond(303, undefined, delivery) : respond(200, ...delivery.page);
  };
}
