/** A new browser in which a user acts on the account pages, without rendering them. */

import type { Visitor } from '../../src/domain/own-account/visit.ts';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from './app.ts';

/** A visit of the user as they are now, in a new session that has shown all factors. */
export async function ownVisit(
  { services, account }: Pick<TestApp, 'services' | 'account'>,
  { id }: Pick<UserRecord, 'id'>,
): Promise<Visitor> {
  const user = await services.store.users.find(account.id, id);
  if (!user) throw new Error('there is no user');
  const now = services.clock.now();
  const name = services.random.bytes(16).toString('hex');
  const session = await services.store.sessions.create({
    accountId: account.id,
    digest: name,
    sid: name,
    userId: user.id,
    amr: ['pwd', 'otp', 'mfa'],
    authenticatedAt: now,
    lastSeenAt: now,
    idleMilliseconds: 3_600_000,
    expiresAt: now + 3_600_000,
    source: null,
    userAgent: null,
  });
  return { user, session };
}
