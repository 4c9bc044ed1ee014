import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { type BrowserState, findOpenRequest, type OpenRequest, requireCsrf } from './authorization-request.ts';
import { checkPassword, type PasswordAttempt } from './check-password.ts';
import { startSession } from './sessions.ts';
import { requireStandingToSignIn } from './standing.ts';

export type SignInResult =
  | { readonly outcome: 'signed_in'; readonly sessionSecret: string; readonly browserSecret: string }
  /** Unknown name, wrong password or closed sign-in: one answer for all. */
  | { readonly outcome: 'wrong'; readonly request: OpenRequest }
  /** A field was left empty; nothing was counted. */
  | { readonly outcome: 'missing'; readonly request: OpenRequest };

/**
 * Signs a user in for a request. Session, browser secret and with it every CSRF token change. Throws
 * `authorization_request_invalid`, `cross_site_request`, `rate_limited`, and only after the right password `user_locked`, `user_suspended`,
 * `user_inactive`, `access_not_assigned`.
 */
export async function signIn(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'limits' | 'vault'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  attempt: PasswordAttempt,
): Promise<SignInResult> {
  const request = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  if (attempt.username === '' || attempt.password === '') return { outcome: 'missing', request };
  const user = await checkPassword(services, account, attempt);
  if (!user) return { outcome: 'wrong', request };
  await requireStandingToSignIn(services, account, user, request.client);
  const browserSecret = newSecret(services.random, '');
  const sessionSecret = await services.store.transaction(async (tx) => {
    const now = services.clock.now();
    const secret = await startSession(services, tx, account, user.id, browser.sessionSecret);
    await tx.authorizations.signIn(account.id, request.record.digest, now, digestOf(browserSecret));
    await tx.users.update(account.id, user.id, { lastLogin: now });
    const about = { type: 'user', id: user.id } as const;
    const detail = { app_id: request.client.appId };
    await recordEvent(tx, services, account, { action: 'sign_in.succeeded', actor: about, target: about, detail });
    return secret;
  });
  return { outcome: 'signed_in', sessionSecret, browserSecret };
}
