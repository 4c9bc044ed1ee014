import type { operations } from '../../../generated/pages.ts';
import type { RunServices } from '../../domain/hooks/one-run.ts';
import { signIn as signInUser } from '../../domain/login/sign-in.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { challenged, representSignIn, setCookies } from './represent.ts';

/** POST /sign-in: 303 onward, or 401 with the form again. */
export function signIn(
  services: RunServices & Pick<Services, 'random' | 'passwords' | 'passkeys' | 'clientDocuments'>,
): Handler<operations['signIn']> {
  return async ({ body, headers, origin: { account, cookies, source } }, respond) => {
    const browser = browserState(account, cookies, body.request);
    const username = body.username ?? '';
    const attempt = { username, password: body.password ?? '', source, userAgent: headers['user-agent'] };
    const result = await signInUser(services, account, browser, body.csrf, attempt);
    if (result.outcome === 'signed_in' || result.outcome === 'halfway') {
      return respond(303, undefined, {
        location: pageLink('continueAuthorization', body.request ?? ''),
        'set-cookie': setCookies(account, result),
      });
    }
    const { request, outcome: problem } = result;
    return respond(401, ...challenged(representSignIn(services, account, browser, request, { username, problem })));
  };
}
