/** Finding, listing and removing users. */

import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { requireOtherAdministrator } from '../administrators/administrators.ts';
import { recordEvent } from '../audit/record.ts';
import { endSignIns } from '../endings/end-sign-ins.ts';
import { Failure } from '../failure.ts';
import { type Authority, requireAdministratorAuthority } from '../means/authority.ts';
import { foldIdentifier, readEmail } from './identifiers.ts';

/** The user with this id; throws `not_found`. */
export async function requireUserId(
  store: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<UserRecord> {
  const user = await store.users.find(account.id, userId);
  if (!user) throw unknownUser();
  return user;
}

/** The same, locked until the transaction ends. Must be locked before anything else of the user's. */
export async function lockUser(
  tx: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<UserRecord> {
  const user = await tx.users.lock(account.id, userId);
  if (!user) throw unknownUser();
  return user;
}

/** The user with this e-mail address, in any case; throws `not_found`. */
export async function requireUser(
  store: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  email: string,
): Promise<UserRecord> {
  const user = await store.users.findByEmail(account.id, readEmail(email).key);
  if (!user) throw unknownUser(email);
  return user;
}

/** The user with this e-mail address or user name, in any case; throws `not_found`. */
export async function requireNamedUser(
  store: Pick<StoreVerbs, 'users'>,
  account: Pick<Account, 'id'>,
  name: string,
): Promise<UserRecord> {
  const key = foldIdentifier(name);
  const user = key === null ? null : await store.users.findByName(account.id, key);
  if (!user) throw unknownUser(name);
  return user;
}

export function listUsers(services: Pick<Services, 'store'>, account: Pick<Account, 'id'>): Promise<UserRecord[]> {
  return services.store.users.list(account.id);
}

/** Removes the user and everything granted on their behalf, and notifies clients; throws `not_found`. */
export async function removeUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  userId: number,
  authority: Authority = 'all',
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await tx.users.lock(account.id, userId);
    await requireAdministratorAuthority(tx, account, userId, authority);
    await requireOtherAdministrator(tx, account, userId);
    await endSignIns(services, tx, account, { id: userId }, { because: null });
    if (!(await tx.users.remove(account.id, userId, services.clock.now()))) throw unknownUser();
    const target = { type: 'user', id: userId } as const;
    await recordEvent(tx, services, account, { action: 'user.removed', target, detail: {} });
  });
}

export function unknownUser(name?: string): Failure {
  const message = name === undefined ? 'there is no such user' : `there is no user ${name}`;
  return new Failure('not_found', { name: 'user', message });
}
