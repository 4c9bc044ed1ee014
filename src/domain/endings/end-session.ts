import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { tellClients } from '../sign-out/notices.ts';
import type { EndedSignIns } from './end-sign-ins.ts';
import { endInFlight } from './in-flight.ts';

/**
 * Ends one session (even if it was raised after it was read), what it approved, and its grants without
 * `offline_access`, and notifies its clients. Part of a transaction. An expired session whose row is deleted is ended
 * through its grants. Returns null for a session that has already ended.
 */
export async function endSession(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Pick<Account, 'id' | 'record'>,
  { userId, sid }: Pick<SessionRecord, 'userId' | 'sid'>,
): Promise<EndedSignIns | null> {
  await tx.users.lock(account.id, userId);
  const now = services.clock.now();
  const isThere = await tx.sessions.end(account.id, userId, sid);
  if (!isThere && !(await tx.grants.hasOfSession(account.id, userId, sid, now))) return null;
  const clientsTold = await tellClients(services, tx, account, { userId, sid }, now);
  const grantsRevoked = await tx.grants.revokeOfSession(account.id, userId, sid, now, 'session ended');
  await endInFlight(tx, account, { userId, sid });
  return { grantsRevoked, clientsTold };
}
