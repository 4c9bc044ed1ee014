/** A user who has forgotten their password asks for a link by e-mail. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { Failure } from '../failure.ts';
import { type BrowserState, requireCsrf } from '../login/authorization-request.ts';
import { networkSourceOf } from '../network-source.ts';

/** More only accumulate if someone floods the form, or if no mail can be sent. */
const mostOpen = 1_000;

/** The purpose of the form's CSRF token. */
export const resetForm = 'forgot-password';

/**
 * Binds a sealed name to its use: other sealed texts do not open here. The typed text may be a password, so it is
 * sealed.
 */
export const namePlace = 'reset_requests|sealed_name';

/**
 * Stores a request for a link for this name. Whether a user has the name is looked up later, by `resetMails`: the same
 * work is done for every name before the response. False for an empty name. Throws `cross_site_request`,
 * `rate_limited`, `unavailable`.
 */
export async function askForReset(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits' | 'resetMails'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  { name, source }: { readonly name: string; readonly source: string },
): Promise<boolean> {
  requireCsrf(browser, csrf);
  if (name === '') return false;
  const { store, clock, vault } = services;
  await services.limits.take(account, 'reset', { source: networkSourceOf(source) });
  if ((await store.resetRequests.countOpen(account.id)) >= mostOpen) {
    throw new Failure('unavailable', { reason: 'too many messages wait', retryAfterSeconds: 60 });
  }
  const now = clock.now();
  await store.resetRequests.add({
    accountId: account.id,
    sealedName: vault.seal(account.record, namePlace, Buffer.from(name)),
    source,
    requestId: currentAuditContext().requestId,
    attempts: 0,
    createdAt: now,
    dueAt: now,
  });
  services.resetMails.wake();
  return true;
}
