import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { endSignIns } from './end-sign-ins.ts';

/**
 * Ends what a change of a user must end; part of the same transaction. A new password ends everything that the former
 * one opened. A suspension ends sessions and everything in flight for good; grants are dormant until it is over.
 * Returns how many grants ended.
 */
export async function endByChange(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Pick<Account, 'id' | 'record'>,
  former: UserRecord,
  { status }: Pick<UserRecord, 'status'>,
  passwordDigest: string | null | undefined,
): Promise<number> {
  const end = async (because: string | null) =>
    (await endSignIns(services, tx, account, former, { because })).grantsRevoked;
  if (passwordDigest !== undefined) return end('password changed');
  if (status !== userStatuses.suspended || former.status === userStatuses.suspended) return 0;
  await end(null);
  // Otherwise a browser whose session was ended would be treated as one whose session has expired.
  await tx.grants.outliveSessions(account.id, former.id);
  return 0;
}
