import type { Services } from '../../../services.ts';
import type { PolicyRecord, SessionRecord, UserRecord } from '../../../store/records.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';
import { currentOrigin } from '../../audit/origin.ts';
import { endFormer } from '../../endings/end-former.ts';
import { digestOf, newSecret } from '../../secrets.ts';

const minute = 60_000;
/** Characters that are kept of what a browser says of itself. */
const longestUserAgent = 256;

/**
 * Starts a session for as long as the policy in force says, under a new secret (session fixation). What the browser had
 * before is of no use then: another user's session ends, the same user's goes on as this one, under its `sid`. Answers
 * the secret and the `sid`.
 */
export async function startSession(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  user: Pick<UserRecord, 'id'>,
  { sessionTimeoutMinutes, sessionAbsoluteMinutes }: PolicyRecord,
  { amr, authenticatedAt }: Pick<SessionRecord, 'amr' | 'authenticatedAt'>,
  formerSecret: string | undefined,
): Promise<Pick<SessionRecord, 'sid'> & { readonly secret: string }> {
  const { random } = services;
  const former = await endFormer(services, tx, account, user, formerSecret);
  const secret = newSecret(random, '');
  const { source, userAgent } = currentOrigin();
  const sid = former?.sid ?? random.bytes(16).toString('base64url');
  const session = {
    accountId: account.id,
    digest: digestOf(secret),
    sid,
    userId: user.id,
    amr,
    authenticatedAt,
    lastSeenAt: authenticatedAt,
    idleMilliseconds: sessionTimeoutMinutes * minute,
    expiresAt: authenticatedAt + sessionAbsoluteMinutes * minute,
    source,
    userAgent: userAgent?.slice(0, longestUserAgent).toWellFormed() ?? null,
  };
  // One that has expired may be deleted meanwhile.
  if (!former || !(await tx.sessions.renew({ ...session, id: former.id }))) await tx.sessions.create(session);
  return { secret, sid };
}

/**
 * The same session, worth more from now on, under a new secret. It ends when it would have ended, and what it says of the
 * time of the sign-in stays: only the second factor is newer. Answers its secret.
 */
export async function raiseSession(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  tx: Pick<StoreVerbs, 'sessions'>,
  session: SessionRecord,
  amr: readonly string[],
): Promise<string> {
  const secret = newSecret(random, '');
  await tx.sessions.renew({ ...session, digest: digestOf(secret), amr, lastSeenAt: clock.now() });
  return secret;
}
