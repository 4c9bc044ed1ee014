import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { digestOf, newSecret } from '../secrets.ts';

const idleMilliseconds = 30 * 60_000;
const absoluteMilliseconds = 12 * 3_600_000;
/** A session seen more often than this is not written again. */
const touchMilliseconds = 60_000;

/** The session that a browser's secret opens, or null: unknown, ended, idle for 30 minutes or older than 12 hours. */
export async function findSession(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  secret: string | undefined,
): Promise<SessionRecord | null> {
  if (!secret) return null;
  const session = await store.sessions.find(account.id, digestOf(secret));
  const now = clock.now();
  if (!session || session.expiresAt <= now || session.lastSeenAt + idleMilliseconds <= now) return null;
  if (session.lastSeenAt + touchMilliseconds <= now) await store.sessions.touch(account.id, session.id, now);
  return session;
}

/** Starts a session with a new id; the browser's former one ends (session fixation). Answers its secret. */
export async function startSession(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  tx: StoreVerbs,
  account: Account,
  userId: number,
  formerSecret: string | undefined,
): Promise<string> {
  if (formerSecret) await tx.sessions.end(account.id, digestOf(formerSecret));
  const secret = newSecret(random, '');
  const now = clock.now();
  await tx.sessions.create({
    accountId: account.id,
    digest: digestOf(secret),
    sid: random.bytes(16).toString('base64url'),
    userId,
    amr: ['pwd'],
    authenticatedAt: now,
    lastSeenAt: now,
    expiresAt: now + absoluteMilliseconds,
  });
  return secret;
}
