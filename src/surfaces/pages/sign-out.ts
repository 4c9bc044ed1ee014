import type { operations } from '../../../generated/pages.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import { csrfToken } from '../../domain/login/authorization-request.ts';
import { currentSignOut, signOut as endSession } from '../../domain/sign-out/sign-out.ts';
import { fullName } from '../../domain/users/names.ts';
import type { Handler, Origin } from '../../http/operation.ts';
import { browserState, clearCookie } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction } from '../../pages/links.ts';
import { signedOutPage, signOutPage } from '../../pages/views.ts';
import type { Services } from '../../services.ts';

type Needs = Pick<Services, 'store' | 'clock' | 'vault'>;

/** What they opened has ended, and the next sign-in gets its own. */
function clearedCookies(account: Account): string[] {
  return [clearCookie(account, 'sid'), clearCookie(account, 'tx')];
}

function done({ account }: Origin, location: string | null) {
  return { location: location ?? formAction('showSignedOut'), 'set-cookie': clearedCookies(account) };
}

/** GET /sign-out: asks the user, or ends the session at once where the client showed whose it is. */
export function showSignOut(services: Needs): Handler<operations['showSignOut']> {
  return async ({ query, origin }, respond) => {
    const { account, cookies } = origin;
    const browser = browserState(account, cookies, query?.request);
    const current = await currentSignOut(services, account, browser);
    if (current.step === 'done') return respond(303, undefined, done(origin, current.location));
    if (current.step === 'onward') {
      const html = signedOutPage({ accountName: account.name, onward: current.location });
      return respond(200, html, { ...pageHeaders(), 'set-cookie': clearedCookies(account) });
    }
    const { user, client, redirectUri } = current;
    const form = signOutPage({
      accountName: account.name,
      appName: client ? displayName(client) : undefined,
      userName: fullName(user),
      userEmail: user.email ?? user.username ?? '',
      csrf: csrfToken(browser.browserSecret ?? '', browser.requestId ?? ''),
      request: browser.requestId ?? '',
      action: formAction('signOut'),
    });
    return respond(200, form, pageHeaders(redirectUri === null ? {} : { redirectUri }));
  };
}

/** POST /sign-out: ends the session, 303 onward. */
export function signOut(services: Needs): Handler<operations['signOut']> {
  return async ({ body, origin }, respond) => {
    const browser = browserState(origin.account, origin.cookies, body.request);
    const { location } = await endSession(services, origin.account, browser, body.csrf);
    return respond(303, undefined, done(origin, location));
  };
}

/** GET /signed-out: says that it is done. */
export const showSignedOut: Handler<operations['showSignedOut']> = async ({ origin: { account } }, respond) =>
  respond(200, signedOutPage({ accountName: account.name }), pageHeaders());
