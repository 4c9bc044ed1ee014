/** A user's own sessions: listing and ending them. */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { endOne, signOutEverywhere } from '../endings/recorded.ts';
import { isLive } from '../login/sessions.ts';
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
  await inVisit(services, account, visit, { recent: false }, async (tx, { user: { id } }) => {
    await endOne(services, tx, account, session, { type: 'user', id });
  });
}

/**
 * Ends all sessions and grants of the user, including the current browser's, and notifies clients. Throws as `inVisit`
 * does.
 */
export async function endAllSessions(services: EndServices, account: Account, visit: Visitor): Promise<void> {
  await inVisit(services, account, visit, { recent: false }, async (tx, { user }) => {
    await signOutEverywhere(services, tx, account, user, { type: 'user', id: user.id });
  });
}
