import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSession } from './end-session.ts';
import { type FormerSession, findFormer } from './former-session.ts';

/**
 * Makes way for a user who signs in where a session is, or was until it expired: another user's ends, as by a sign-out.
 * Answers the user's own, which is to go on: what was granted in it is found by its `sid`. Null without one. Part of the transaction of the
 * sign-in, in which the user is locked; should two users sign in over each other's sessions at once, PostgreSQL has one
 * of the transactions tried again.
 */
export async function endFormer(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
  formerSecret: string | undefined,
): Promise<FormerSession | null> {
  const former = await findFormer(services, tx, account, formerSecret);
  if (!former || former.userId === id) return former;
  const ended = await endSession(services, tx, account, former);
  if (!ended) return null;
  await recordEvent(tx, services, account, {
    action: 'session.ended',
    actor: { type: 'user', id },
    target: { type: 'user', id: former.userId },
    detail: { session_id: former.id, grants_revoked: ended.grantsRevoked, clients_told: ended.clientsTold },
  });
  return null;
}
