import type { operations } from '../../../generated/pages.ts';
import type { RunServices } from '../../domain/hooks/one-run.ts';
import { findFactorWays, giveSecondPasskey } from '../../domain/login/second-passkey.ts';
import { signInWithPasskey } from '../../domain/login/sign-in-passkey.ts';
import type { Handlers } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { challenged, representSignIn, setCookies } from './represent.ts';
import { representSecondFactor } from './represent-second-factor.ts';

/** Passkeys instead of the password, and after it. */
export function passkeySignIns(
  services: RunServices & Pick<Services, 'random' | 'passkeys' | 'clientDocuments'>,
): Handlers<Pick<operations, 'signInWithPasskey' | 'giveSecondPasskey'>> {
  return {
    /** POST /sign-in/passkey: 303 onward, or 401 with the sign-in page again. */
    signInWithPasskey: async ({ body, headers, origin: { account, cookies, source } }, respond) => {
      const browser = browserState(account, cookies, body.request);
      const given = { answer: body.credential ?? '', source, userAgent: headers['user-agent'] };
      const result = await signInWithPasskey(services, account, browser, body.csrf, given);
      if (result.outcome === 'wrong') {
        const { request } = result;
        const again = { username: request.record.parameters.loginHint ?? '', problem: 'passkey' } as const;
        return respond(401, ...challenged(representSignIn(services, account, browser, request, again)));
      }
      const location = pageLink('continueAuthorization', body.request ?? '');
      return respond(303, undefined, { location, 'set-cookie': setCookies(account, result) });
    },

    /** POST /second-factor/passkey: 303 onward, or 401 with the page again. */
    giveSecondPasskey: async ({ body, origin: { account, cookies, source } }, respond) => {
      const browser = browserState(account, cookies, body.request);
      const given = { answer: body.credential ?? '', source };
      const result = await giveSecondPasskey(services, account, browser, body.csrf, given);
      if (result.outcome === 'refused') {
        const { due, problem } = result;
        const ways = await findFactorWays(services, account, due);
        return respond(401, ...challenged(representSecondFactor(account, browser, due, ways, { problem })));
      }
      const location = pageLink('continueAuthorization', body.request ?? '');
      return respond(303, undefined, { location, 'set-cookie': setCookies(account, result) });
    },
  };
}
