import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { endSession } from './end-session.ts';
import { type FormerSession, findFormer } from './former-session.ts';

/**
 * Called when a user signs in where a session is, or was until it expired. Another user's session is ended, as by a
 * sign-out. The user's own session is returned, to be continued: grants made in it are found by its `sid`. Returns null
 * if there is none. Part of the transaction of the sign-in, in which the user is locked. When two users sign in over
 * each other's sessions at once, PostgreSQL has one of the transactions retried.
 */
export async function endFormer(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
  formerSecret: string | undefined,
): Promise<FormerSession | null> {
  const former = await findFormer(services, tx, account, formerSecret);
  if (!former) return null;
  if (former.userId === id) return former.state === 'renewed' ? null : former;
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
