import type { Services } from '../../../services.ts';
import type { PolicyRecord } from '../../../store/policies.ts';
import type { SessionRecord } from '../../../store/sessions.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { UserRecord } from '../../../store/users.ts';
import type { Account } from '../../accounts/account.ts';
import { currentAuditContext } from '../../audit/context.ts';
import { minute } from '../../durations.ts';
import { endFormer } from '../../endings/end-former.ts';
import { newSessionSecret } from '../../login/session-secret.ts';
import { digestOf } from '../../secrets.ts';

/** Maximum length of a stored User-Agent. */
const longestUserAgent = 256;

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
  if (former && !former.isLive) await tx.sessions.forgetUses(account.id, sid);
  const id = former?.id ?? null;
  // An expired session may have been deleted meanwhile.
  if (id === null || !(await tx.sessions.renew({ ...session, id }))) await tx.sessions.create(session);
  return { secret, sid };
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
