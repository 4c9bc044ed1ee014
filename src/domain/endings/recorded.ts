/** Endings with their events: the same whether the user or an operator asks for them. */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { changeUser } from '../means/change-user.ts';
import { endConsent } from './end-app.ts';
import { endSession } from './end-session.ts';
import { type EndedSignIns, endSignIns } from './end-sign-ins.ts';

type EndServices = Pick<Services, 'clock' | 'vault'>;

/**
 * Ends one session, what it approved and its grants without `offline_access`, and notifies its clients; part of a
 * transaction. False for a session that has already ended. `actor`: by default, who makes the request.
 */
export async function endOne(
  services: EndServices,
  tx: StoreVerbs,
  account: Account,
  session: Pick<SessionRecord, 'id' | 'userId' | 'sid'>,
  actor?: Actor,
): Promise<boolean> {
  const ended = await endSession(services, tx, account, session);
  if (!ended) return false;
  await recordEvent(tx, services, account, {
    action: 'session.ended',
    ...(actor && { actor }),
    target: { type: 'user', id: session.userId },
    detail: { session_id: session.id, grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold },
  });
  return true;
}

/** Ends the sessions and grants of a user except those of `own`, and notifies clients; part of a transaction. */
export async function endAllBut(
  services: EndServices,
  tx: StoreVerbs,
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
  own: SessionRecord | null,
  actor?: Actor,
): Promise<EndedSignIns> {
  const ended = await endSignIns(services, tx, account, { id }, { because: 'signed out everywhere', own });
  await recordEvent(tx, services, account, {
    action: 'session.all_ended',
    ...(actor && { actor }),
    target: { type: 'user', id },
    detail: { kept_own: own !== null, grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold },
  });
  return ended;
}

/** Signs a user out everywhere: sign-ins that are under way cannot be completed either. Part of a transaction. */
export async function signOutEverywhere(
  services: EndServices,
  tx: StoreVerbs,
  account: Account,
  user: UserRecord,
  actor?: Actor,
): Promise<void> {
  await endAllBut(services, tx, account, user, null, actor);
  await changeUser(services, tx, account, user, { signedOutAt: services.clock.now() });
}

/**
 * Removes an app's consent, its grants from the user and everything in flight; part of a transaction. False if there was
 * neither a consent nor a grant.
 */
export async function withdrawConsent(
  services: EndServices,
  tx: StoreVerbs,
  account: Account,
  userId: number,
  appId: number,
  actor?: Actor,
): Promise<boolean> {
  const { removed, grantsRevoked } = await endConsent(tx, account, userId, appId, services.clock.now());
  if (!removed && grantsRevoked === 0) return false;
  await recordEvent(tx, services, account, {
    action: 'consent.withdrawn',
    ...(actor && { actor }),
    target: { type: 'app', id: appId },
    detail: { user_id: userId, grants_revoked: grantsRevoked },
  });
  return true;
}
