/** The end of what apps may do for users, where the app is not taken away itself. */

import type { Milliseconds } from '../../store/records.ts';
import type { AccessLoss, StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { endInFlight } from './in-flight.ts';

/** What they change. */
export type EndingVerb = 'grants' | 'authorizations' | 'deviceCodes';

/** Users whom one statement looks at: few enough for both databases, and for nobody else to wait. */
const usersAtOnce = 400;

/**
 * Ends the grants and all that is in flight for an app that their user may not use any more; part of the transaction
 * that took the access away. Answers how many grants ended.
 */
export async function endUnassigned(
  tx: Pick<StoreVerbs, EndingVerb>,
  account: Pick<Account, 'id'>,
  loss: AccessLoss,
  now: Milliseconds,
): Promise<number> {
  let ended = 0;
  for (const part of partsOf(loss)) {
    ended += await tx.grants.revokeUnassigned(account.id, part, now);
    await endInFlight(tx, account, { unassigned: part });
  }
  return ended;
}

function partsOf(loss: AccessLoss): readonly AccessLoss[] {
  if ('appId' in loss) return [loss];
  const { userIds } = loss;
  const count = Math.ceil(userIds.length / usersAtOnce);
  return Array.from({ length: count }, (_, at) => ({
    userIds: userIds.slice(at * usersAtOnce, (at + 1) * usersAtOnce),
  }));
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
