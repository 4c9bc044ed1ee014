/** A user's own sessions: where they are signed in, and the end of it. */

import type { Services } from '../../services.ts';
import type { Milliseconds, SessionRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { isLive } from '../login/sessions.ts';
import { tellClients } from '../sign-out/notices.ts';
import type { Visit } from './enter.ts';

/** More are not shown; the others end by themselves, or with all of them. */
const mostShown = 100;

type EndServices = Pick<Services, 'store' | 'clock' | 'vault' | 'logoutNotices'>;
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
 * Ends one session of the user's, and has its clients told. A session that is not there any more is none to end:
 * whoever sends the form twice is not told that it failed.
 */
export async function endOneSession(
  services: EndServices,
  account: Account,
  { user }: Pick<Visit, 'user'>,
  sessionId: number,
): Promise<void> {
  const session = (await listSessions(services, account, user)).find(({ id }) => id === sessionId);
  if (!session) return;
  const told = await services.store.transaction(async (tx) => {
    if (!(await tx.sessions.end(account.id, session.digest))) return 0;
    const count = await tellClients(services, tx, account, session, services.clock.now());
    const about = { type: 'user', id: user.id } as const;
    const detail = { session_id: session.id, clients_told: count };
    await recordEvent(tx, services, account, { action: 'session.ended', actor: about, target: about, detail });
    return count;
  });
  if (told > 0) services.logoutNotices.wake();
}

/** Ends all sessions and grants of the user's, those of the browser that asks for it included, and has clients told. */
export async function endAllSessions(
  services: EndServices,
  account: Account,
  { user }: Pick<Visit, 'user'>,
): Promise<void> {
  const told = await services.store.transaction((tx) => endSessions(services, tx, account, user, null));
  if (told.clientsTold > 0) services.logoutNotices.wake();
}

export interface EndedSessions {
  readonly grantsRevoked: number;
  readonly clientsTold: number;
}

/** Ends the sessions and grants of a user, but for those of `own`; part of a transaction, after which clients are told. */
export async function endSessions(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  user: User,
  own: SessionRecord | null,
): Promise<EndedSessions> {
  const now = services.clock.now();
  const sids = await otherSids(tx, account, user, own, now);
  let clientsTold = 0;
  // First of all: clients are found by the grants of the session.
  for (const sid of sids) clientsTold += await tellClients(services, tx, account, { userId: user.id, sid }, now);
  const because = 'signed out everywhere';
  const grantsRevoked = own
    ? await tx.grants.revokeOfUserElsewhere(account.id, user.id, own.sid, now, because)
    : await tx.grants.revokeOfUser(account.id, user.id, now, because);
  await tx.sessions.endOfUser(account.id, user.id, own?.digest);
  const about = { type: 'user', id: user.id } as const;
  const detail = { kept_own: own !== null, grants_revoked: grantsRevoked, clients_told: clientsTold };
  await recordEvent(tx, services, account, { action: 'session.all_ended', actor: about, target: about, detail });
  return { grantsRevoked, clientsTold };
}

/** Names of the sessions that end: a grant may have outlived the session that it began in. */
async function otherSids(
  tx: StoreVerbs,
  account: Account,
  { id }: User,
  own: SessionRecord | null,
  now: Milliseconds,
): Promise<ReadonlySet<string>> {
  const sids = new Set((await tx.sessions.listOfUser(account.id, id, mostShown)).map(({ sid }) => sid));
  for (const { sid } of await tx.grants.listLive(account.id, id, now)) if (sid !== null) sids.add(sid);
  if (own) sids.delete(own.sid);
  return sids;
}
