/** Ends what apps may do for users when the app itself is not removed. */

import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { endInFlight } from './in-flight.ts';

/** The parts of the store that these endings change. */
export type EndingVerb = 'access' | 'grants' | 'authorizations' | 'deviceCodes';

/** Users per statement: few enough for both databases, and so that others do not wait. */
const usersAtOnce = 400;

/** Who may have lost access to an app: these users, in any app, or any users of these apps. */
export type Loss = { readonly userIds: readonly number[] } | { readonly appIds: readonly number[] };

/**
 * Ends the grants and everything in flight for apps that their user may no longer use; part of the transaction that
 * removed the access. Returns how many grants ended; for an app with many grants, only those revoked so far.
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

/** Ends a user's consent to an app, its grants and everything in flight; part of a transaction. */
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
