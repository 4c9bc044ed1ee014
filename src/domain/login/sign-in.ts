import type { Services } from '../../services.ts';
import type { FirstFactor } from '../../store/authorizations.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Fired } from '../hooks/fire.ts';
import { migrateUser } from '../hooks/migrate-user.ts';
import type { RunServices } from '../hooks/one-run.ts';
import type { Admitted, Halted, Waiting } from '../opening/admit.ts';
import { type FirstEvidence, type MoreShown, methodsOf } from '../opening/evidence.ts';
import { openSession } from '../opening/open.ts';
import { type Door, walkIn } from '../opening/walk.ts';
import { digestOf, newSecret } from '../secrets.ts';
import {
  type BrowserState,
  findOpenRequest,
  type OpenRequest,
  requestEnded,
  requireCsrf,
} from './authorization-request.ts';
import { type PasswordAttempt, tryPassword } from './check-password.ts';
import { countRefusal } from './count-failures.ts';
import { changedMeanwhile, recordRefusal, refuseSignIn, signedInTo } from './standing.ts';

/** What a signed-in browser gets: both cookies are new. */
export interface SignedIn {
  readonly outcome: 'signed_in';
  readonly sessionSecret: string;
  readonly browserSecret: string;
}

/**
 * The password was right but is not enough: a second factor or a new password comes first. The browser secret is new.
 */
export interface Halfway {
  readonly outcome: 'halfway';
  readonly browserSecret: string;
}

/** How far a sign-in has come. */
export type Advanced = SignedIn | Halfway;

type SignInResult =
  | Advanced
  /** Unknown name, wrong password, closed sign-in, or a password that was replaced meanwhile: one answer for all. */
  | { readonly outcome: 'wrong'; readonly request: OpenRequest }
  /** A field was left empty; nothing was counted. */
  | { readonly outcome: 'missing'; readonly request: OpenRequest };

/**
 * Signs a user in for a request. The session, the browser secret and all CSRF tokens change. If the password is not
 * enough, nobody is signed in, and the page for the second factor or the new password opens. Throws
 * `authorization_request_invalid`, `cross_site_request`, `rate_limited`, and only after the right password
 * `user_locked`, `user_suspended`, `user_inactive`, `access_not_assigned`, `sign_in_refused`.
 */
export async function signIn(
  services: RunServices & Pick<Services, 'random' | 'passwords' | 'clientDocuments'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  attempt: PasswordAttempt,
): Promise<SignInResult> {
  const request = await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  if (attempt.username === '' || attempt.password === '') return { outcome: 'missing', request };
  const tried = await tryPassword(services, account, attempt, () => migrateUser(services, account, attempt));
  if (!tried.user) return { outcome: 'wrong', request };
  const { user, checkedAt } = tried;
  const evidence = { by: 'password', user, checkedAt } as const;
  return (
    (await walkForRequest(services, account, browser, request, evidence, attempt)) ?? { outcome: 'wrong', request }
  );
}

/**
 * Takes a request past its first factor; null when the credential was replaced meanwhile. Throws the refusals of the
 * user's standing and `sign_in_refused`.
 */
export async function walkForRequest(
  services: RunServices & Pick<Services, 'random'>,
  account: Account,
  browser: BrowserState,
  request: OpenRequest,
  evidence: FirstEvidence,
  seen: Door['seen'],
): Promise<Advanced | null> {
  const { client, record } = request;
  const { user } = evidence;
  const door = { client, wantsSecondFactor: record.parameters.secondFactor === true, seen };
  const walked = await walkIn(services, account, evidence, door, async (tx, reached, fired) => {
    const decided = await keepFired(tx, request, user, fired);
    return goOn(services, tx, account, browser, decided, evidence, reached);
  });
  return 'outcome' in walked ? walked : stop(services, account, request, evidence, walked, seen);
}

async function stop(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>,
  account: Account,
  { client }: OpenRequest,
  evidence: FirstEvidence,
  halted: Halted,
  { source }: Door['seen'],
): Promise<null> {
  await countRefusal(services.limits, account, source);
  const { user } = evidence;
  const methods = methodsOf(evidence);
  if (halted.at === 'refused') return refuseSignIn(services, account, user, client, methods, halted.failure);
  await recordRefusal(services, account, user, client, methods, changedMeanwhile);
  return null;
}

/** Stores with the request what the hooks chose, for all following steps. Returns the request as stored afterwards. */
export async function keepFired(
  tx: Pick<StoreVerbs, 'authorizations'>,
  { record, client }: OpenRequest,
  user: Pick<UserRecord, 'id'>,
  { chosen, traits }: Fired,
  when: 'needed' | 'always' = 'needed',
): Promise<OpenRequest> {
  // An earlier sign-in in the same request may have left a choice.
  if (when === 'needed' && chosen === null && traits === null && record.hookPolicyUserId === null)
    return { record, client };
  const fired = { hookPolicyId: chosen?.id ?? null, hookPolicyUserId: user.id, hookTraits: traits };
  await tx.authorizations.keepFiring(record, fired);
  return { client, record: { ...record, ...fired } };
}

/**
 * Opens the session at the end of a sign-in, or keeps how far it has come; part of the transaction that admits the user,
 * under whose lock all that the request holds may have been ended since it was read. Throws
 * `authorization_request_invalid` then.
 */
export async function goOn(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  browser: BrowserState,
  { record, client }: OpenRequest,
  evidence: FirstEvidence | MoreShown,
  reached: Admitted | Waiting,
): Promise<Advanced> {
  if (await tx.authorizations.hasEnded(account.id, record.digest)) throw requestEnded();
  const methods = methodsOf(evidence);
  const { id: userId } = reached.user;
  if (reached.at !== 'end') {
    return keepHalfway(services, tx, record, { userId, checkedAt: evidence.checkedAt, methods });
  }
  const browserSecret = newSecret(services.random, '');
  const traits = record.hookPolicyUserId === userId ? record.hookTraits : null;
  const signingIn = { methods, where: signedInTo(client), traits };
  const session = await openSession(services, tx, account, reached, signingIn, browser.sessionSecret);
  await tx.authorizations.signIn(record, session, digestOf(browserSecret));
  return { outcome: 'signed_in', sessionSecret: session.secret, browserSecret };
}

/** Stores how far a sign-in has come. */
export async function keepHalfway(
  { random }: Pick<Services, 'random'>,
  { authorizations }: Pick<StoreVerbs, 'authorizations'>,
  record: OpenRequest['record'],
  first: FirstFactor,
): Promise<Halfway> {
  const browserSecret = newSecret(random, '');
  await authorizations.keepFirstFactor(record, first, digestOf(browserSecret));
  return { outcome: 'halfway', browserSecret };
}
