/** Who may see the account pages: the user whose session the browser has. */

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

/** What the tokens of all account forms are made for. */
const formName = 'account';

/** The user of this browser, with the session. */
export interface Visit extends Visitor {
  readonly outcome: 'open';
  /** What the forms of the pages send back: derived from the session's secret, so that another site cannot know it. */
  readonly csrf: string;
}

/** A sign-in comes first; it leads to the page. */
export interface SignInFirst extends OpenedRequest {
  readonly outcome: 'sign_in';
}

interface Wish extends Partial<PageDemand> {
  /** Path of the page that is wanted, or that a form is on. */
  readonly path: string;
}

/**
 * Lets the user of a session in, or begins a sign-in that leads to the page. Throws `user_locked`, `user_suspended` and
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
  // A user whose password expired signs in with it first, and then chooses a new one.
  const known = user && user.status !== userStatuses.passwordExpired ? user : null;
  const failure = known && findStatusFailure(known);
  if (failure) throw failure;
  const isFresh = session !== null && isFreshFor({ recent }, services, session);
  // What a session showed that is too old for the page does not count.
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
    // A link shows the mailbox alone, however new its session is.
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
  // Without a session there is nothing that another site could have done in its user's name.
  const form = { ...browser, browserSecret: browser.sessionSecret, requestId: formName };
  if (entered.outcome === 'open') requireCsrf(form, csrf);
  return entered;
}
