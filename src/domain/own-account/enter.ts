/** Who may see the account pages: the user of the browser's session. */

import { userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type BrowserState, csrfToken, requireCsrf } from '../login/authorization-request.ts';
import { isOfLink } from '../login/methods.ts';
import { noParameters, type OpenedRequest, type OpenServices, openRequest } from '../login/open-request.ts';
import { ownPages } from '../login/own-pages.ts';
import { findSession } from '../login/sessions.ts';
import { findStatusFailure } from '../login/standing.ts';
import { recentSeconds } from '../means/recent.ts';
import { isFreshFor, lacksFactorFor, type PageDemand, type Visitor } from './visit.ts';

/** The purpose of the CSRF tokens of all account forms. */
const formName = 'account';

/** The user of this browser, and the session. */
export interface Visit extends Visitor {
  readonly outcome: 'open';
  /** The CSRF token of the pages' forms: derived from the session's secret, so another site cannot know it. */
  readonly csrf: string;
}

/** A sign-in comes first; it leads to the page. */
export interface SignInFirst extends OpenedRequest {
  readonly outcome: 'sign_in';
}

interface Wish extends Partial<PageDemand> {
  /** Path of the requested page, or of the form's page. */
  readonly path: string;
}

/**
 * Admits the user of a session, or begins a sign-in that leads to the page. Throws `user_locked`, `user_suspended` and
 * `user_inactive`.
 */
export async function enter(
  services: OpenServices,
  account: Account,
  browser: BrowserState,
  { path, recent = false }: Wish,
): Promise<Visit | SignInFirst> {
  const session = await findSession(services, account, browser.sessionSecret);
  const user = session && (await services.store.users.find(account.id, session.userId));
  // A user whose password expired signs in with the old password first and then chooses a new one.
  const known = user && user.status !== userStatuses.passwordExpired ? user : null;
  const failure = known && findStatusFailure(known);
  if (failure) throw failure;
  const isFresh = session !== null && isFreshFor({ recent }, services, session);
  // The methods of a session that is too old for the page do not count.
  const methods = isFresh ? session.amr : [];
  const wanted = known !== null && (await lacksFactorFor({ recent }, services, account, known, methods));
  if (isFresh && known && !wanted) {
    return { outcome: 'open', user: known, session, csrf: csrfToken(browser.sessionSecret ?? '', formName) };
  }
  const asked = {
    ...noParameters,
    redirectUri: path,
    redirectUriGiven: true,
    loginHint: user?.email ?? user?.username ?? null,
    maxAgeSeconds: recent ? recentSeconds : null,
    // A link only proves access to the mailbox, however recent its session is.
    prompt: recent && session && isOfLink(session.amr) ? ['login'] : [],
    ...(wanted && { secondFactor: true }),
  };
  return { outcome: 'sign_in', ...(await openRequest(services, account, ownPages(account), asked, browser)) };
}

/** The same for a form. Throws `cross_site_request` as well. */
export async function enterByForm(
  services: OpenServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  wish: Wish,
): Promise<Visit | SignInFirst> {
  const entered = await enter(services, account, browser, wish);
  // Without a session another site has nothing to act with.
  const form = { ...browser, browserSecret: browser.sessionSecret, requestId: formName };
  if (entered.outcome === 'open') requireCsrf(form, csrf);
  return entered;
}
