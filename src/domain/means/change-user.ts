import type { Services } from '../../services.ts';
import type { MeansChange } from '../../store/change-notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord, UserUpdate } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type Authority, holdOf } from './authority.ts';
import { noteChange } from './note-change.ts';

/**
 * Writes a change of a user: the only way to write how the user signs in. The user is notified of another e-mail
 * address, user name or password, and an address is held if its writer may not set passwords. What was shown of the
 * former address does not hold for another one. Part of a transaction
 * that read `former` with `users.lock`. Returns the user as stored, null when there is none. Throws `conflict`, and
 * as `noteChange`.
 */
export async function changeUser(
  services: Pick<Services, 'clock'>,
  tx: Pick<StoreVerbs, 'users' | 'changeNotices'>,
  account: Pick<Account, 'id'>,
  former: UserRecord,
  given: UserUpdate,
  authority: Authority = 'all',
): Promise<UserRecord | null> {
  const now = services.clock.now();
  const hold = holdOf(former, given, authority, now);
  const isOther = given.email !== undefined && given.email !== former.email;
  const written = isOther ? { emailWrittenAt: now } : {};
  const changes = { ...(isOther && { verifiedEmail: null }), ...written, ...given, ...hold };
  const current = await tx.users.update(account.id, former.id, changes);
  if (current) {
    const noted = { changes: changesBetween(former, current), former, email: current.email, authority };
    await noteChange(services, tx, account, noted);
  }
  return current;
}

function changesBetween(former: UserRecord, current: UserRecord): readonly MeansChange[] {
  const changes: MeansChange[] = [];
  if (former.email !== current.email) changes.push('email');
  if (former.username !== current.username) changes.push('username');
  if (former.passwordDigest !== current.passwordDigest) changes.push('password');
  return changes;
}
