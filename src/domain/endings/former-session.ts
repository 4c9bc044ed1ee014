import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { namedSession } from '../login/session-secret.ts';
import { isLive } from '../login/sessions.ts';
import { digestOf } from '../secrets.ts';

/** A session that a browser has or had. */
export interface FormerSession extends Pick<SessionRecord, 'userId' | 'sid'> {
  /** Null if its row is deleted. */
  readonly id: number | null;
  /**
   * `renewed`: a newer secret opens it. The browser may not have had the answer with that secret yet, so the older one
   * can still end the session, and nothing else.
   */
  readonly state: 'live' | 'expired' | 'renewed';
}

/**
 * The session of this secret; null for one that was ended. Grants do not expire with their session: as long as there
 * are grants that end with it, it can still be ended, and it continues when its user signs in again.
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
  if (row) return { id: row.id, userId: row.userId, sid: row.sid, state: isLive(row, now) ? 'live' : 'expired' };
  const named = namedSession(services, account, secret);
  if (!named) return null;
  const { userId, sid, expiresAt } = named;
  const renewed = await sessions.findByName(account.id, userId, sid);
  // A sign-in over it gave it another expiry: its browser has had the answer to that.
  if (renewed) return renewed.expiresAt === expiresAt ? { id: renewed.id, userId, sid, state: 'renewed' } : null;
  // Before its expiry, a session without a row was ended.
  if (expiresAt > now) return null;
  const isEndable = await grants.hasOfSession(account.id, userId, sid, now);
  return isEndable ? { id: null, userId, sid, state: 'expired' } : null;
}
