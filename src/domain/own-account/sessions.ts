/** A user's own sessions: listing and ending them. */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSession } from '../endings/end-session.ts';
import { type EndedSignIns, endSignIns } from '../endings/end-sign-ins.ts';
import { isLive } from '../login/sessions.ts';
import { changeUser } from '../means/change-user.ts';
import { inVisit, type Visitor } from './visit.ts';

/** Others are not shown; they expire, or end when all are ended. */
const mostShown = 100;

type EndServices = Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>;
type User = Pick<UserRecord, 'id'>;

/** The live sessions of a user, most recently used first. */
export async function listSessions(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  { id }: User,
): Promise<readonly SessionRecord[]> {
  const now = clock.now();
  return (await store.sessions.listOfUser(account.id, id, mostShown)).filter((session) => isLive(session, now));
}

/**
 * Ends one of the user's sessions, what it approved and its grants without `offline_access`, and notifies its clients.
 * Does nothing for a session that has ended, so that sending the form twice is not an error. Throws as `inVisit` does.
 */
export async function endOneSession(
  services: EndServices,
  account: Account,
  visit: Visitor,
  sessionId: number,
): Promise<void> {
  const session = (await listSessions(services, account, visit.user)).find(({ id }) => id === sessionId);
  if (!session) return;
  await inVisit(services, account, visit, { recent: false }, async (tx, { user }) => {
    const ended = await endSession(services, tx, account, session);
    if (!ended) return;
    const about = { type: 'user', id: user.id } as const;
    const told = { grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold };
    const detail = { session_id: session.id, ...told };
    await recordEvent(tx, services, account, { action: 'session.ended', actor: about, target: about, detail });
  });
}

/**
 * Ends all sessions and grants of the user, including the current browser's, and notifies clients. Throws as `inVisit`
 * does.
 */
export async function endAllSessions(services: EndServices, account: Account, visit: Visitor): Promise<void> {
  await inVisit(services, account, visit, { recent: false }, async (tx, { user }) => {
    await endSessions(services, tx, account, user, null);
    await changeUser(services, tx, account, user, { signedOutAt: services.clock.now() });
  });
}

/** Ends the sessions and grants of a user except those of `own`, and notifies clients; part of a transaction. */
export async function endSessions(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  user: User,
  own: SessionRecord | null,
): Promise<EndedSignIns> {
  const ended = await endSignIns(services, tx, account, user, { because: 'signed out everywhere', own });
  const about = { type: 'user', id: user.id } as const;
  const told = { grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold };
  const detail = { kept_own: own !== null, ...told };
  await recordEvent(tx, services, account, { action: 'session.all_ended', actor: about, target: about, detail });
  return ended;
}
