import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { tellClients } from '../sign-out/notices.ts';
import { endInFlight } from './in-flight.ts';

/** Why all sign-ins of a user end, and which of them continue. */
interface SignInsEnding {
  /** The reason stored with the grants; null: the grants become dormant. */
  readonly because: string | null;
  /** The session in which the user ends the others: it continues, and so do its grants. */
  readonly own?: SessionRecord | null;
  /** Digest of the sign-in in progress that ends the others. */
  readonly request?: string;
}

export interface EndedSignIns {
  readonly grantsRevoked: number;
  readonly clientsTold: number;
}

/**
 * Ends all sessions of a user, what was granted in them, and everything in flight, and notifies the clients. Part of a
 * transaction.
 */
export async function endSignIns(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Pick<Account, 'id' | 'record'>,
  user: Pick<UserRecord, 'id'>,
  { because, own = null, request }: SignInsEnding,
): Promise<EndedSignIns> {
  const { id } = user;
  const now = services.clock.now();
  // A concurrent redemption either came before this or finds nothing left to redeem.
  await tx.users.lock(account.id, id);
  // Before the grants are ended: sessions and clients are found through them.
  const clientsTold = await tellClients(services, tx, account, { userId: id, except: own?.sid ?? null }, now);
  const grantsRevoked = because === null ? 0 : await revoke(tx, account, id, own, now, because);
  await tx.sessions.endOfUser(account.id, id, own?.sid);
  await endInFlight(tx, account, { userId: id }, request);
  return { grantsRevoked, clientsTold };
}

function revoke(
  { grants }: Pick<StoreVerbs, 'grants'>,
  { id: accountId }: Pick<Account, 'id'>,
  userId: number,
  own: SessionRecord | null,
  now: Milliseconds,
  because: string,
): Promise<number> {
  return own
    ? grants.revokeOfUserElsewhere(accountId, userId, own.sid, now, because)
    : grants.revokeOfUser(accountId, userId, now, because);
}
