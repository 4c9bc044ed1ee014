import type { operations } from '../../../generated/pages.ts';
import { signIn as signInUser } from '../../domain/login/sign-in.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { formHeaders, representSignIn } from './represent.ts';

/** POST /sign-in: 303 onward, or 401 with the form again. */
export function signIn(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'limits' | 'vault' | 'hooks' | 'packageBuilds'>,
): Handler<operations['signIn']> {
  return async ({ body, headers, origin: { account, cookies, source } }, respond) => {
    const browser = browserState(account, cookies, body.request);
    const username = body.username ?? '';
    const attempt = { username, password: body.password ?? '', source, userAgent: headers['user-agent'] };
    const result = await signInUser(services, account, browser, body.csrf, attempt);
    if (result.outcome === 'signed_in') {
      return respond(303, undefined, {
        location: pageLink('continueAuthorization', body.request ?? ''),
        'set-cookie': [setCookie(account, 'sid', result.sessionSecret), setCookie(account, 'tx', result.browserSecret)],
      });
    }
    if (result.outcome === 'new_password') {
      return respond(303, undefined, {
        location: pageLink('continueAuthorization', body.request ?? ''),
        'set-cookie': setCookie(account, 'tx', result.browserSecret),
      });
    }
    const form = representSignIn(account, browser, result.request, username, result.outcome);
    return respond(401, form, {
      ...formHeaders(result.request),
      // RFC 9110 §11.6.1 wants a challenge with every 401; no browser shows a prompt for this one.
      'www-authenticate': 'Form realm="gatehouse"',
    });
  };
}
