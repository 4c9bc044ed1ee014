/** A user's own sessions: where they are signed in, and the end of it. */

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

/** More are not shown; the others end by themselves, or with all of them. */
const mostShown = 100;

type EndServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type User = Pick<UserRecord, 'id'>;

/** The live sessions of a user, the one used last at the front. */
export async function listSessions(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  { id }: User,
): Promise<readonly SessionRecord[]> {
  const now = clock.now();
  return (await store.sessions.listOfUser(account.id, id, mostShown)).filter((session) => isLive(session, now));
}

/**
 * Ends one session of the user's, with what it approved and its grants without `offline_access`, and has its clients told.
 * Nothing happens for a session that has ended: whoever sends the form twice is not told that it failed. Throws as
 * `inVisit` does.
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
 * Ends all sessions and grants of the user's, those of the browser that asks for it included, and has clients told. Throws
 * as `inVisit` does.
 */
export async function endAllSessions(services: EndServices, account: Account, visit: Visitor): Promise<void> {
  await inVisit(services, account, visit, { recent: false }, async (tx, { user }) => {
    await endSessions(services, tx, account, user, null);
    await changeUser(services, tx, account, user, { signedOutAt: services.clock.now() });
  });
}

/** Ends the sessions and grants of a user, but for those of `own`, and has clients told; part of a transaction. */
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
