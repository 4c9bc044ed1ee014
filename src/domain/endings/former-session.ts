import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { namedSession } from '../login/session-secret.ts';
import { isLive } from '../login/sessions.ts';
import { digestOf } from '../secrets.ts';

/** A session that a browser has, or had until it expired. */
export interface FormerSession extends Pick<SessionRecord, 'userId' | 'sid'> {
  /** Null if its row is deleted. */
  readonly id: number | null;
  readonly isLive: boolean;
}

/**
 * The session of this secret, which may have expired; null for one that was ended. Grants do not expire with their
 * session: as long as there are grants that end with it, it can still be ended, and it continues when its user signs in
 * again.
 */
export async function findFormer(
  services: Pick<Services, 'clock' | 'vault'>,
  { sessions, grants }: Pick<StoreVerbs, 'sessions' | 'grants'>,
  account: Account,
  secret: string | undefined,
): Promise<FormerSession | null> {
  if (!secret) return null;
  const now = services.clock.now();
  const row = await sessions.find(account.id, digestOf(secret));
  if (row) return { id: row.id, userId: row.userId, sid: row.sid, isLive: isLive(row, now) };
  const named = namedSession(services, account, secret);
  // Before its expiry, a session without a row was ended. Its name may have continued in this browser under a newer
  // secret.
  if (!named || named.expiresAt > now) return null;
  const { userId, sid } = named;
  if (await sessions.has(account.id, userId, sid)) return null;
  return (await grants.hasOfSession(account.id, userId, sid, now)) ? { id: null, userId, sid, isLive: false } : null;
}

/**
 * Another user's session that this secret opened until the session was given a newer one; null if there is none. It was
 * in the same browser, which may not have had the answer with the newer secret yet.
 */
export async function findRenewed(
  services: Pick<Services, 'vault'>,
  { sessions }: Pick<StoreVerbs, 'sessions'>,
  account: Account,
  user: Pick<UserRecord, 'id'>,
  secret: string | undefined,
): Promise<FormerSession | null> {
  const named = secret ? namedSession(services, account, secret) : null;
  if (!named || named.userId === user.id) return null;
  const { userId, sid } = named;
  return (await sessions.has(account.id, userId, sid)) ? { id: null, userId, sid, isLive: true } : null;
}
