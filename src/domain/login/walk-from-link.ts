/**
 * What happens after a password was set with a link: the steps of every sign-in, but a link proves less than a
 * password.
 */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import type { Fired, SeenAttempt } from '../hooks/fire.ts';
import type { RunServices } from '../hooks/one-run.ts';
import { type LinkFollowed, methodsOf } from '../opening/evidence.ts';
import { openSession } from '../opening/open.ts';
import { walkIn } from '../opening/walk.ts';
import { newSecret } from '../secrets.ts';
import { type BrowserState, findOpenRequest } from './authorization-request.ts';
import { noParameters, openRequest } from './open-request.ts';
import { ownPages } from './own-pages.ts';
import { keepFired, keepHalfway } from './sign-in.ts';
import { changedMeanwhile, recordRefusal } from './standing.ts';

export type LinkWalked =
  | { readonly outcome: 'signed_in'; readonly sessionSecret: string; readonly browserSecret: string }
  /** The user's own second factor comes first, in the sign-in with this id. */
  | { readonly outcome: 'halfway'; readonly requestId: string; readonly browserSecret: string }
  /** Nothing was opened: a link is not enough to sign in. */
  | { readonly outcome: 'saved' }
  /** Nothing was opened: the rules of the account do not let the user in. */
  | { readonly outcome: 'not_let_in' };

type LinkServices = RunServices & Pick<Services, 'random' | 'clientDocuments'>;

/**
 * Continues from a link whose password is saved. The user is asked for an existing second factor, but never offered to
 * enrol one: enrolment takes the password, or else access to the mailbox would be worth both factors.
 */
export async function walkFromLink(
  services: LinkServices,
  account: Account,
  browser: BrowserState,
  evidence: LinkFollowed,
  seen: SeenAttempt,
  onward: string,
): Promise<LinkWalked> {
  const { user, kind } = evidence;
  const client = ownPages(account);
  const methods = methodsOf(evidence);
  const door = { client, wantsSecondFactor: false, seen };
  const walked = await walkIn(services, account, evidence, door, async (tx, reached, fired) => {
    if (reached.at !== 'end') return { ...reached, fired };
    const signingIn = { methods, where: { method: kind }, traits: fired.traits };
    const { secret } = await openSession(services, tx, account, reached, signingIn, browser.sessionSecret);
    return { at: reached.at, secret };
  });
  switch (walked.at) {
    case 'end':
      return { outcome: 'signed_in', sessionSecret: walked.secret, browserSecret: newSecret(services.random, '') };
    case 'second_factor':
      return askForFactor(services, account, browser, evidence, walked.fired, onward);
    case 'refused':
      if (walked.failure.code === 'sign_in_refused') return { outcome: 'not_let_in' };
      await recordRefusal(services, account, user, client, methods, walked.failure.code);
      return { outcome: 'saved' };
    case 'outdated':
      await recordRefusal(services, account, user, client, methods, changedMeanwhile);
      return { outcome: 'saved' };
    case 'enrolment':
    case 'new_password':
      return { outcome: 'saved' };
  }
}

/** Begins a sign-in to the account pages that is waiting for the second factor. */
async function askForFactor(
  services: LinkServices,
  account: Account,
  browser: BrowserState,
  evidence: LinkFollowed,
  fired: Fired,
  onward: string,
): Promise<LinkWalked> {
  const { user, checkedAt } = evidence;
  const client = ownPages(account);
  const parameters = { ...noParameters, redirectUri: onward, redirectUriGiven: true };
  const begun = await openRequest(services, account, client, parameters, browser);
  const { record } = await findOpenRequest(services, account, { ...browser, ...begun });
  const { browserSecret } = await services.store.transaction(async (tx) => {
    await keepFired(tx, { record, client }, user, fired);
    return keepHalfway(services, tx, record, { userId: user.id, checkedAt, methods: methodsOf(evidence) });
  });
  return { outcome: 'halfway', requestId: begun.requestId, browserSecret };
}
