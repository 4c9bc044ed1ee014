import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { BrowserState } from './authorization-request.ts';
import { findSession } from './sessions.ts';
import { findStatusFailure } from './standing.ts';

/** The active user whose session this browser has. Throws `authorization_request_invalid` when there is none. */
export async function findSignedIn(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  { sessionSecret }: BrowserState,
): Promise<UserRecord> {
  const session = await findSession(services, account, sessionSecret);
  const user = session && (await services.store.users.find(account.id, session.userId));
  if (!user || findStatusFailure(user)) {
    throw new Failure('authorization_request_invalid', { message: 'You are not signed in.' });
  }
  return user;
}
