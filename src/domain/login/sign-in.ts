import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { migrateUser } from '../hooks/migrate-user.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import { type BrowserState, findOpenRequest, type OpenRequest, requireCsrf } from './authorization-request.ts';
import { checkPassword, type PasswordAttempt } from './check-password.ts';
import { fireForRequest, policyOfSignIn } from './policy-of-sign-in.ts';
import { startSession } from './sessions.ts';
import { afterReplacing, requireStandingToSignIn } from './standing.ts';

/** What the browser gets that is signed in: both cookies are new. */
export interface SignedIn {
  readonly outcome: 'signed_in';
  readonly sessionSecret: string;
  readonly browserSecret: string;
}

export type SignInResult =
  | SignedIn
  /** The password was right and has to be replaced first; the browser's secret is new. */
  | { readonly outcome: 'new_password'; readonly browserSecret: string }
  /** Unknown name, wrong password or closed sign-in: one answer for all. */
  | { readonly outcome: 'wrong'; readonly request: OpenRequest }
  /** A field was left empty; nothing was counted. */
  | { readonly outcome: 'missing'; readonly request: OpenRequest };

/**
 * Signs a user in for a request. Session, browser secret and with it every CSRF token change. A password that has
 * to be replaced signs nobody in: it opens the page on which a new one is chosen. Throws
 * `authorization_request_invalid`, `cross_site_request`, `rate_limited`, and only after the right password `user_locked`, `user_suspended`,
 * `user_inactive`, `access_not_assigned`, `sign_in_refused`.
 */
export async function signIn(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'limits' | 'vault' | 'hooks' | 'packageBuilds'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  attempt: PasswordAttempt,
): Promise<SignInResult> {
  const found = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  if (attempt.username === '' || attempt.password === '') return { outcome: 'missing', request: found };
  const user = await checkPassword(services, account, attempt, () => migrateUser(services, account, attempt));
  if (!user) return { outcome: 'wrong', request: found };
  await requireStandingToSignIn(services, account, afterReplacing(user), found.client);
  const request = await fireForRequest(services, account, found, user, attempt);
  const policy = await effectivePolicy(services, account, user, null);
  const now = services.clock.now();
  if (mustReplacePassword(user, policy, now)) {
    const browserSecret = newSecret(services.random, '');
    const { digest } = request.record;
    await services.store.authorizations.awaitPassword(account.id, digest, user.id, now, digestOf(browserSecret));
    return { outcome: 'new_password', browserSecret };
  }
  const inForce = await policyOfSignIn(services, account, request, user);
  return services.store.transaction((tx) => finishSignIn(services, tx, account, browser, request, user, inForce));
}

/** Opens the session of a user whose every factor was right; part of a transaction. */
export async function finishSignIn(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  browser: BrowserState,
  { record, client }: OpenRequest,
  user: UserRecord,
  policy: PolicyRecord,
): Promise<SignedIn> {
  const now = services.clock.now();
  const browserSecret = newSecret(services.random, '');
  const sessionSecret = await startSession(services, tx, account, user, policy, browser.sessionSecret);
  await tx.authorizations.signIn(account.id, record.digest, now, digestOf(browserSecret));
  await tx.users.update(account.id, user.id, { lastLogin: now });
  const about = { type: 'user', id: user.id } as const;
  const detail = { app_id: client.appId };
  await recordEvent(tx, services, account, { action: 'sign_in.succeeded', actor: about, target: about, detail });
  return { outcome: 'signed_in', sessionSecret, browserSecret };
}
