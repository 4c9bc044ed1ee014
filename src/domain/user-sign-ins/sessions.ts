/** A user's sessions, as operators see and end them. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { Account } from '../accounts/account.ts';
import { endOne, signOutEverywhere } from '../endings/recorded.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { isLive } from '../login/sessions.ts';
import { lockUser, requireUserId } from '../users/users.ts';
import { findApps } from './apps.ts';

interface UsedSession {
  readonly session: SessionRecord;
  /** The apps that it was used for. */
  readonly apps: readonly ClientRecord[];
}

/** Live sessions; throws `not_found` without the user. */
export async function pageSessions(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  userId: number,
  query: ListQuery,
): Promise<ListPage<UsedSession>> {
  await requireUserId(store, account, userId);
  const page = await store.sessions.pageOfUser(account.id, userId, clock.now(), query);
  const sids = page.items.map(({ sid }) => sid);
  const uses = sids.length === 0 ? [] : await store.sessions.listUses(account.id, userId, sids);
  const apps = await findApps(
    store,
    account,
    uses.map(({ appId }) => appId),
  );
  const usesOf = Map.groupBy(uses, ({ sid }) => sid);
  return mapPage(page, (session) => ({
    session,
    apps: (usesOf.get(session.sid) ?? []).flatMap(({ appId }) => apps.get(appId) ?? []),
  }));
}

/** Throws `not_found` without the user, and for a session that is not live. */
export async function endSessionOfUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  userId: number,
  sessionId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await lockUser(tx, account, userId);
    const session = await tx.sessions.findOfUser(account.id, userId, sessionId);
    const isThere = session !== null && isLive(session, services.clock.now());
    if (isThere && (await endOne(services, tx, account, session))) return;
    throw new Failure('not_found', { name: 'session', message: 'the user has no such session' });
  });
}

/** Ends all sessions and grants of the user and what is in flight; throws `not_found` without the user. */
export async function endSessionsOfUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const user = await lockUser(tx, account, userId);
    await signOutEverywhere(services, tx, account, user);
  });
}
