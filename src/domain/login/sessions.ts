import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { minute } from '../durations.ts';
import { digestOf, newSecret } from '../secrets.ts';

/** The time of last use is written at most this often. */
const touchMilliseconds = minute;

/** The session that a browser's secret opens; null if it is unknown, ended, unused for too long or too old. */
export async function findSession(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  secret: string | undefined,
): Promise<SessionRecord | null> {
  if (!secret) return null;
  const session = await store.sessions.find(account.id, digestOf(secret));
  const now = clock.now();
  if (!session || !isLive(session, now)) return null;
  await noteSeen({ store, clock }, account, session);
  return session;
}

/** Notes that a live session was used now. */
export async function noteSeen(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  session: SessionRecord,
): Promise<void> {
  const now = clock.now();
  if (session.lastSeenAt + touchMilliseconds <= now) await store.sessions.touch(account.id, session.id, now);
}

/** Whether a session is neither too old nor unused for too long. */
export function isLive({ expiresAt, lastSeenAt, idleMilliseconds }: SessionRecord, now: Milliseconds): boolean {
  return expiresAt > now && lastSeenAt + idleMilliseconds > now;
}

/** The secret that binds a browser to its forms: the one that it has, or a new one. */
export function newBrowserSecret(random: Services['random'], present: string | undefined): string {
  return present && /^[\w-]{43}$/.test(present) ? present : newSecret(random, '');
}

/** Whether a session is too old for an app by the policy of sign-ins to it. Apps may differ. */
export function isTooOld(session: SessionRecord, policy: PolicyRecord, now: Milliseconds): boolean {
  return session.authenticatedAt + policy.sessionAbsoluteMinutes * minute <= now;
}
