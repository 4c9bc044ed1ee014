import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { FirstFactor, StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { migrateUser } from '../hooks/migrate-user.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import { type BrowserState, findOpenRequest, type OpenRequest, requireCsrf } from './authorization-request.ts';
import { checkPassword, type PasswordAttempt } from './check-password.ts';
import { passwordMethods } from './methods.ts';
import { demandOfSignIn } from './pending.ts';
import { fireForRequest, policyOfSignIn, rememberFired } from './policy-of-sign-in.ts';
import { startSession } from './sessions.ts';
import { afterReplacing, requireStandingToSignIn, signedInTo } from './standing.ts';

/** What the browser gets that is signed in: both cookies are new. */
export interface SignedIn {
  readonly outcome: 'signed_in';
  readonly sessionSecret: string;
  readonly browserSecret: string;
}

/** The password was right and is not enough: a second factor or a new password comes first. The browser's secret is new. */
export interface Halfway {
  readonly outcome: 'halfway';
  readonly browserSecret: string;
}

export type SignInResult =
  | SignedIn
  | Halfway
  /** Unknown name, wrong password or closed sign-in: one answer for all. */
  | { readonly outcome: 'wrong'; readonly request: OpenRequest }
  /** A field was left empty; nothing was counted. */
  | { readonly outcome: 'missing'; readonly request: OpenRequest };

/**
 * Signs a user in for a request. Session, browser secret and with it every CSRF token change. A password that is not
 * enough signs nobody in: it opens the page on which a second factor is given or a new password is chosen. Throws
 * `authorization_request_invalid`, `cross_site_request`, `rate_limited`, and only after the right password `user_locked`, `user_suspended`,
 * `user_inactive`, `access_not_assigned`, `sign_in_refused`.
 */
export async function signIn(
  services: RunServices & Pick<Services, 'random' | 'passwords'>,
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
  const policy = await policyOfSignIn(services, account, request, user);
  const demand = await demandOfSignIn(services, account, request, user, policy);
  const own = await effectivePolicy(services, account, user, null);
  const now = services.clock.now();
  if (demand !== 'none' || mustReplacePassword(user, own, now)) {
    const first = { userId: user.id, checkedAt: now, methods: passwordMethods };
    return keepHalfway(services, services.store, request, first);
  }
  return services.store.transaction((tx) =>
    finishSignIn(services, tx, account, browser, request, user, policy, passwordMethods),
  );
}

/** Keeps how far a sign-in has come. */
export async function keepHalfway(
  { random }: Pick<Services, 'random'>,
  { authorizations }: Pick<StoreVerbs, 'authorizations'>,
  { record }: OpenRequest,
  first: FirstFactor,
): Promise<Halfway> {
  const browserSecret = newSecret(random, '');
  await authorizations.keepFirstFactor(record, first, digestOf(browserSecret));
  return { outcome: 'halfway', browserSecret };
}

/** Opens the session of a user whose every factor was right; part of a transaction. */
export async function finishSignIn(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  browser: BrowserState,
  request: OpenRequest,
  user: UserRecord,
  policy: PolicyRecord,
  methods: readonly string[],
): Promise<SignedIn> {
  const { record, client } = request;
  const now = services.clock.now();
  const browserSecret = newSecret(services.random, '');
  const sessionSecret = await startSession(services, tx, account, user, policy, methods, browser.sessionSecret);
  await tx.authorizations.signIn(record, now, digestOf(browserSecret));
  await tx.users.update(account.id, user.id, { lastLogin: now });
  await rememberFired(tx, account, request, user);
  const about = { type: 'user', id: user.id } as const;
  const detail = { ...signedInTo(client), methods };
  await recordEvent(tx, services, account, { action: 'sign_in.succeeded', actor: about, target: about, detail });
  return { outcome: 'signed_in', sessionSecret, browserSecret };
}
