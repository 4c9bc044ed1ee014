/** Who may see and change what signs them in. */

import type { Services } from '../../services.ts';
import type { SessionRecord, UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { type BrowserState, csrfToken, requireCsrf } from '../login/authorization-request.ts';
import { isMultiFactor } from '../login/methods.ts';
import { findSession } from '../login/sessions.ts';
import { findStatusFailure } from '../login/standing.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { findDemand } from '../second-factor/demand.ts';

/** How long after the sign-in its user may change what signs in. */
export const recentMinutes = 15;
/** A user who signed in here not long ago, with all that the user has to show. */
export interface Owner {
  readonly user: UserRecord;
  readonly session: SessionRecord;
  /** What a form of the page sends back. */
  readonly csrf: string;
}

/** The form is made for the session: another browser, or a later sign-in, cannot send it. */
function formState({ sessionSecret }: BrowserState): BrowserState {
  return { sessionSecret, browserSecret: sessionSecret, requestId: 'own passkeys' };
}

/**
 * Who may see and change the passkeys: the active user of a session that began at most 15 minutes ago, and with a second
 * factor where the user has one. Null: a new sign-in is needed.
 */
export async function findOwner(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  browser: BrowserState,
): Promise<Owner | null> {
  const session = await findSession(services, account, browser.sessionSecret);
  if (!session || session.authenticatedAt + recentMinutes * 60_000 <= services.clock.now()) return null;
  const user = await services.store.users.find(account.id, session.userId);
  if (!user || findStatusFailure(user)) return null;
  if (!isMultiFactor(session.amr)) {
    // Who has the password alone cannot make of it more than a password.
    const policy = await effectivePolicy(services, account, user, null);
    if ((await findDemand(services, account, user.id, policy)) !== 'none') return null;
  }
  const { browserSecret, requestId } = formState(browser);
  return { user, session, csrf: csrfToken(browserSecret ?? '', requestId ?? '') };
}

/** Throws `cross_site_request` unless the form was made for this session. */
export function requireOwnForm(browser: BrowserState, csrf: string | undefined): void {
  requireCsrf(formState(browser), csrf);
}
