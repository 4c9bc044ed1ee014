import type { operations } from '../../../generated/pages.ts';
import { enrolSecondFactor as enrol, enrolmentSetup } from '../../domain/login/second-factor.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import type { Services } from '../../services.ts';
import { challenged, setCookies } from './represent.ts';
import { representEnrolment, representRecoveryCodes } from './represent-second-factor.ts';

/** POST /second-factor/enrol: 200 with the recovery codes, or 401 with the form again. */
export function enrolSecondFactor(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'totp' | 'limits' | 'clientDocuments'>,
): Handler<operations['enrolSecondFactor']> {
  return async ({ body, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, body.request);
    const result = await enrol(services, account, browser, body.csrf, { code: body.otp ?? '' });
    const { due } = result;
    if (result.outcome === 'refused') {
      const setup = enrolmentSetup(services, account, due);
      return respond(401, ...challenged(representEnrolment(account, browser, due, setup, result.problem)));
    }
    // In the response itself: they are stored as digests, so no later page can show them.
    const [html, headers] = representRecoveryCodes(account, due, result.codes, body.request ?? '');
    return respond(200, html, { ...headers, 'set-cookie': setCookies(account, result.next) });
  };
}
