import type { Services } from '../../services.ts';
import type { MeansChange } from '../../store/change-notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';

/**
 * Notifies users of a change of how they sign in: the only way, whoever makes the change and wherever. Part of the
 * transaction of the change. The message is sent in the background (`createChangeNotices`) to the user's address before
 * the change and to the one after it. If a message about an earlier change of the same kind is still waiting, only one
 * is sent, so that repeated changes do not delay other messages.
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
