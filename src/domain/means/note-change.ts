import type { Services } from '../../services.ts';
import type { MeansChange } from '../../store/change-notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';

/**
 * Has users told of a change of how they sign in: the one way, whoever made the change and by whatever door. Part of the
 * transaction of the change; the message goes out in the background (`createChangeNotices`), to the address that the user
 * had before it and to the one after it. Where the same was changed before and that message still waits, one is sent, so
 * that changes made in a loop keep no other from being told.
 */
export async function noteChange(
  { clock }: Pick<Services, 'clock'>,
  { changeNotices }: Pick<StoreVerbs, 'changeNotices'>,
  account: Pick<Account, 'id'>,
  changes: readonly MeansChange[],
  former: Pick<UserRecord, 'email'>,
  current: Pick<UserRecord, 'email'> = former,
): Promise<void> {
  if (changes.length === 0) return;
  const now = clock.now();
  for (const address of new Set([former.email, current.email])) {
    if (address === null) continue;
    await changeNotices.add({ accountId: account.id, address, changes, changedAt: now, attempts: 0, dueAt: now });
  }
}
