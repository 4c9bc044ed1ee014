import type { Services } from '../../../services.ts';
import type { PolicyRecord } from '../../../store/policies.ts';
import type { SessionRecord } from '../../../store/sessions.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { UserRecord } from '../../../store/users.ts';
import type { Account } from '../../accounts/account.ts';
import { currentAuditContext } from '../../audit/context.ts';
import { recordEvent } from '../../audit/record.ts';
import { minute } from '../../durations.ts';
import { endFormer } from '../../endings/end-former.ts';
import { endSession } from '../../endings/end-session.ts';
import { newSessionSecret } from '../../login/session-secret.ts';
import { digestOf } from '../../secrets.ts';

/** Maximum length of a stored User-Agent. */
const longestUserAgent = 256;

/** Sessions of a user that there are at once: few enough for one short statement to end them all. */
const mostSessions = 200;
/** Matters for users who had more before there was a bound. */
const endedAtOnce = 10;

/**
 * Starts a session under a new secret (session fixation), for as long as the policy in force says. It replaces the
 * browser's former session: another user's session ends; the same user's continues under its `sid`. If that one had
 * expired, the record of the apps that it was used for is cleared. Returns the secret and the `sid`.
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
  const { source, userAgent } = currentAuditContext();
  const sid = former?.sid ?? random.bytes(16).toString('base64url');
  const expiresAt = authenticatedAt + sessionAbsoluteMinutes * minute;
  const secret = newSessionSecret(services, account, { userId: user.id, sid, expiresAt });
  const session = {
    accountId: account.id,
    digest: digestOf(secret),
    sid,
    userId: user.id,
    amr,
    authenticatedAt,
    lastSeenAt: authenticatedAt,
    idleMilliseconds: sessionTimeoutMinutes * minute,
    expiresAt,
    source,
    userAgent: userAgent?.slice(0, longestUserAgent).toWellFormed() ?? null,
  };
  if (former?.state === 'expired') await tx.sessions.forgetUses(account.id, sid);
  const id = former?.id ?? null;
  // One that has expired may be deleted meanwhile.
  if (id === null || !(await tx.sessions.renew({ ...session, id }))) {
    await makeRoom(services, tx, account, user);
    await tx.sessions.create(session);
  }
  return { secret, sid };
}

/** Ends the sessions that would be too many with one more, the longest unused, as by a sign-out. */
async function makeRoom(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
): Promise<void> {
  const about = { type: 'user', id } as const;
  for (const session of await tx.sessions.listOfUser(account.id, id, endedAtOnce, mostSessions - 1)) {
    const ended = await endSession(services, tx, account, session);
    if (!ended) continue;
    const detail = { session_id: session.id, grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold };
    await recordEvent(tx, services, account, { action: 'session.ended', actor: about, target: about, detail });
  }
}

/**
 * Raises the session and gives it a new secret. Its expiry and time of sign-in stay the same: only the second factor is
 * newer. Returns the secret.
 */
export async function raiseSession(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: Pick<StoreVerbs, 'sessions'>,
  account: Account,
  session: SessionRecord,
  amr: readonly string[],
): Promise<string> {
  const secret = newSessionSecret(services, account, session);
  await tx.sessions.renew({ ...session, digest: digestOf(secret), amr, lastSeenAt: services.clock.now() });
  return secret;
}
