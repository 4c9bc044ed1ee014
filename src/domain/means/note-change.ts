import type { Services } from '../../services.ts';
import type { MeansChange, NoticeStanding } from '../../store/change-notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { day, hour } from '../durations.ts';
import { Failure } from '../failure.ts';
import type { Authority } from './authority.ts';
import { isFull, mailboxOf } from './notice-pace.ts';

type Former = Pick<UserRecord, 'email' | 'emailWrittenAt' | 'createdAt' | 'lastLogin'>;

/**
 * A sign-in proves an address when the user has had it for so long: someone who writes addresses may sign in as a user of
 * their own, and would prove any number of other people's.
 */
const provingMilliseconds = day;

/** What is changed, and what the user was before and is then. */
export interface Noted {
  readonly changes: readonly MeansChange[];
  readonly former: Former;
  /** Default: that of `former`. */
  readonly email?: string | null;
  /** Of whoever makes the change; default: `all`. */
  readonly authority?: Authority;
}

/**
 * Notifies users of a change of how they sign in: the only way, whoever makes the change and wherever. Part of the
 * transaction of the change. The message is sent in the background (`createChangeNotices`) to the user's address before
 * the change and to the one after it. If a message about an earlier change of the same kind is still waiting, only one
 * is sent, so that repeated changes do not delay other messages. While too many messages to unproven addresses of the
 * account wait, a new address is told nothing if a former one is; throws `rate_limited` if nobody could be told of a
 * change by someone who may not set passwords.
 */
export async function noteChange(
  { clock }: Pick<Services, 'clock'>,
  { changeNotices }: Pick<StoreVerbs, 'changeNotices'>,
  account: Pick<Account, 'id'>,
  { changes, former, email = former.email, authority = 'all' }: Noted,
): Promise<void> {
  if (changes.length === 0) return;
  const now = clock.now();
  const isMoved = email !== null && (former.email === null || mailboxOf(email) !== mailboxOf(former.email));
  for (const address of [former.email, isMoved ? email : null]) {
    if (address === null) continue;
    const standing = address === former.email ? standingOf(former) : 'unproven';
    if (standing === 'unproven' && (await isFull(changeNotices, account, now))) {
      if (address !== former.email && former.email !== null) continue;
      // The owner must hear of it before a link goes to another address.
      if (authority === 'users') throw tooManyWait();
    }
    const unsent = { changedAt: now, attempts: 0, dueAt: now, allowedAt: null };
    await changeNotices.add({ accountId: account.id, address, standing, changes, ...unsent });
  }
}

function tooManyWait(): Failure {
  const reason = 'too many messages to addresses that nobody proved are waiting';
  return new Failure('rate_limited', { retryAfterSeconds: hour / 1000, reason });
}

/**
 * What is known of an address that a user has. `email_verified` does not count: a caller that writes users may declare
 * it.
 */
function standingOf({ emailWrittenAt, createdAt, lastLogin }: Former): NoticeStanding {
  // At a page it is the user's own doing, and there are limits before it.
  if (currentAuditContext().actor === null) return 'proven';
  const since = emailWrittenAt ?? createdAt;
  return lastLogin !== null && lastLogin - since >= provingMilliseconds ? 'proven' : 'unproven';
}
