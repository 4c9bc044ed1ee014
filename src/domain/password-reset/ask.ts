/** Who has forgotten their password asks for a link by e-mail. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { Failure } from '../failure.ts';
import { type BrowserState, requireCsrf } from '../login/authorization-request.ts';
import { networkSourceOf } from '../network-source.ts';

/** More wait only where somebody sends them on purpose, or no mail goes out. */
const mostOpen = 1_000;

/** What the form's token is made for. */
export const resetForm = 'forgot-password';

/** Where a sealed name belongs: nothing else that is sealed opens here. What was typed may be a password. */
export const namePlace = 'reset_requests|sealed_name';

/**
 * Keeps that somebody asked for a link for this name. Whether anybody has it is looked up afterwards, by
 * `resetMails`: the same work is done for every name before the answer. False for an empty name. Throws
 * `cross_site_request`, `rate_limited`, `unavailable`.
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
