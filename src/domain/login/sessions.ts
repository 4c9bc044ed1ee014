import type { Services } from '../../services.ts';
import type { Milliseconds, PolicyRecord, SessionRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { currentOrigin } from '../audit/origin.ts';
import { digestOf, newSecret } from '../secrets.ts';

const minute = 60_000;
/** A session seen more often than this is not written again. */
const touchMilliseconds = minute;
/** Characters that are kept of what a browser says of itself. */
const longestUserAgent = 256;

/** The session that a browser's secret opens, or null: unknown, ended, unused for too long or too old. */
export async function findSession(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  secret: string | undefined,
): Promise<SessionRecord | null> {
  if (!secret) return null;
  const session = await store.sessions.find(account.id, digestOf(secret));
  const now = clock.now();
  if (!session || !isLive(session, now)) return null;
  if (session.lastSeenAt + touchMilliseconds <= now) await store.sessions.touch(account.id, session.id, now);
  return session;
}

/** Whether a session has neither been unused for too long nor become too old. */
export function isLive({ expiresAt, lastSeenAt, idleMilliseconds }: SessionRecord, now: Milliseconds): boolean {
  return expiresAt > now && lastSeenAt + idleMilliseconds > now;
}

/**
 * Starts a session with a new id, for as long as the policy in force says; the browser's former one ends (session
 * fixation). Answers its secret.
 */
export async function startSession(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  tx: StoreVerbs,
  account: Account,
  user: Pick<UserRecord, 'id'>,
  { sessionTimeoutMinutes, sessionAbsoluteMinutes }: PolicyRecord,
  amr: readonly string[],
  formerSecret: string | undefined,
): Promise<string> {
  if (formerSecret) await tx.sessions.end(account.id, digestOf(formerSecret));
  const secret = newSecret(random, '');
  const now = clock.now();
  const { source, userAgent } = currentOrigin();
  await tx.sessions.create({
    accountId: account.id,
    digest: digestOf(secret),
    sid: random.bytes(16).toString('base64url'),
    userId: user.id,
    amr,
    authenticatedAt: now,
    lastSeenAt: now,
    idleMilliseconds: sessionTimeoutMinutes * minute,
    expiresAt: now + sessionAbsoluteMinutes * minute,
    source,
    userAgent: userAgent?.slice(0, longestUserAgent).toWellFormed() ?? null,
  });
  return secret;
}

/** What binds a browser to its forms: the secret that it has, or a new one where it has none. */
export function newBrowserSecret(random: Services['random'], present: string | undefined): string {
  return present && /^[\w-]{43}$/.test(present) ? present : newSecret(random, '');
}

/**
 * The same session, worth more from now on, under a new id. It ends when it would have ended, and what it says of the
 * time of the sign-in stays: only the second factor is newer. Answers its secret.
 */
export async function raiseSession(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  tx: StoreVerbs,
  account: Account,
  { id: _, ...former }: SessionRecord,
  amr: readonly string[],
): Promise<string> {
  const secret = newSecret(random, '');
  await tx.sessions.end(account.id, former.digest);
  await tx.sessions.create({ ...former, digest: digestOf(secret), amr, lastSeenAt: clock.now() });
  return secret;
}

/** Whether a session is too old for an app, by the policy of sign-ins to it: an app may want a newer one than another did. */
export function isTooOld(session: SessionRecord, policy: PolicyRecord, now: Milliseconds): boolean {
  return session.authenticatedAt + policy.sessionAbsoluteMinutes * minute <= now;
}
