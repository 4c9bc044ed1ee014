import type { operations } from '../../../generated/pages.ts';
import { giveSecondFactor as give } from '../../domain/login/second-factor.ts';
import { findFactorWays } from '../../domain/login/second-passkey.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { challenged, setCookies } from './represent.ts';
import { representSecondFactor } from './represent-second-factor.ts';

/** POST /second-factor: 303 onward, or 401 with the form again. */
export function giveSecondFactor(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'totp' | 'limits' | 'passkeys' | 'clientDocuments'>,
): Handler<operations['giveSecondFactor']> {
  return async ({ body, origin: { account, cookies, source } }, respond) => {
    const browser = browserState(account, cookies, body.request);
    const code = body.otp || body.recovery_code || '';
    const result = await give(services, account, browser, body.csrf, { code, source });
    if (result.outcome === 'refused') {
      const { due, problem } = result;
      const recovery = !body.otp && body.recovery_code !== undefined;
      const ways = await findFactorWays(services, account, due);
      return respond(401, ...challenged(representSecondFactor(account, browser, due, ways, { problem, recovery })));
    }
    return respond(303, undefined, {
      location: pageLink('continueAuthorization', body.request ?? ''),
      'set-cookie': setCookies(account, result),
    });
  };
}
