/** The end of what apps may do for users, where the app is not taken away itself. */

import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { endInFlight } from './in-flight.ts';

/** What they change. */
export type EndingVerb = 'access' | 'grants' | 'authorizations' | 'deviceCodes';

/** Users whom one statement looks at: few enough for both databases, and for nobody else to wait. */
const usersAtOnce = 400;

/** Who may have lost the access to an app: these users, to whichever app, or whichever users of these apps. */
export type Loss = { readonly userIds: readonly number[] } | { readonly appIds: readonly number[] };

/**
 * Ends the grants and all that is in flight for an app that their user may not use any more; part of the transaction
 * that took the access away. Answers how many grants ended, of apps with many only those that were revoked until now.
 */
export async function endUnassigned(
  tx: Pick<StoreVerbs, EndingVerb>,
  account: Pick<Account, 'id'>,
  loss: Loss,
  now: Milliseconds,
): Promise<number> {
  if ('appIds' in loss) return loss.appIds.length === 0 ? 0 : tx.access.endLost(account.id, loss.appIds, now);
  let ended = 0;
  for (let at = 0; at < loss.userIds.length; at += usersAtOnce) {
    const part = { userIds: loss.userIds.slice(at, at + usersAtOnce) };
    ended += await tx.grants.revokeUnassigned(account.id, part, now);
    await endInFlight(tx, account, { unassigned: part });
  }
  return ended;
}

/** What a user allowed an app, its grants and all that is in flight; part of a transaction. */
export async function endConsent(
  tx: Pick<StoreVerbs, EndingVerb | 'users'>,
  account: Pick<Account, 'id'>,
  userId: number,
  appId: number,
  now: Milliseconds,
): Promise<{ readonly removed: boolean; readonly grantsRevoked: number }> {
  await tx.users.lock(account.id, userId);
  const removed = await tx.authorizations.removeConsent(account.id, userId, appId);
  const grantsRevoked = await tx.grants.revokeOfUserApp(account.id, userId, appId, now, 'consent withdrawn');
  await endInFlight(tx, account, { userId, appId });
  return { removed, grantsRevoked };
}
