import type { Services } from '../../services.ts';
import type { MeansChange, NoticeStanding } from '../../store/change-notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { day } from '../durations.ts';

type Addressee = Pick<UserRecord, 'email' | 'emailWrittenAt' | 'lastLogin' | 'createdAt'>;

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
  former: Addressee,
  current: Pick<UserRecord, 'email'> = former,
): Promise<void> {
  if (changes.length === 0) return;
  const now = clock.now();
  for (const address of new Set([former.email, current.email])) {
    if (address === null) continue;
    const standing = address === former.email ? standingOf(former, now) : 'new';
    const unsent = { changedAt: now, attempts: 0, dueAt: now, allowedAt: null };
    await changeNotices.add({ accountId: account.id, address, standing, changes, ...unsent });
  }
}

/**
 * What is known of an address that a user has. `email_verified` does not count: a caller that writes users may declare
 * it.
 */
function standingOf({ emailWrittenAt, lastLogin, createdAt }: Addressee, now: Milliseconds): NoticeStanding {
  // At a page it is the user's own doing, and there are limits before it.
  if (currentAuditContext().actor === null) return 'proven';
  if (lastLogin !== null && lastLogin > (emailWrittenAt ?? 0)) return 'proven';
  return (emailWrittenAt ?? createdAt) + day <= now ? 'settled' : 'new';
}
