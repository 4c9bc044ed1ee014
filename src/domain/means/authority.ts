/** What a caller who writes users may do to a user's means of sign-in. */

import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord, UserUpdate } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';
import { Failure } from '../failure.ts';

/**
 * `users` (`manage_users`): manage users, but neither set a password nor cause one to be set. `all`: also set
 * passwords; for API keys, the command line and hooks.
 */
export type Authority = 'all' | 'users';

/** What `manage_users` includes. */
const ofManageUsers: readonly string[] = ['read_users', 'manage_users'];

/** Time for the owner of the former address to object. */
const holdMilliseconds = day;

/** Until when no reset link goes to an address that is written with this authority now. */
export function heldUntil(authority: Authority, now: Milliseconds): Milliseconds | null {
  return authority === 'all' ? null : now + holdMilliseconds;
}

/**
 * How a change affects the hold. An address that is sent unchanged keeps its hold, whoever sends it: programs send
 * whole records and do not vouch for them.
 */
export function holdOf(
  former: Pick<UserRecord, 'email'>,
  { email }: UserUpdate,
  authority: Authority,
  now: Milliseconds,
): Pick<UserUpdate, 'emailHeldUntil'> {
  if (email === undefined || email === former.email) return {};
  return { emailHeldUntil: email === null ? null : heldUntil(authority, now) };
}

/**
 * For a change that could weaken what a second factor protects: throws `scope_insufficient` if the user has one and the
 * caller may not set passwords. Part of the transaction of the change.
 */
export async function requireFactorAuthority(
  tx: Pick<StoreVerbs, 'secondFactors'>,
  account: Pick<Account, 'id'>,
  { id }: Pick<UserRecord, 'id'>,
  authority: Authority,
): Promise<void> {
  if (authority === 'all' || (await tx.secondFactors.listDevices(account.id, id)).length === 0) return;
  throw new Failure('scope_insufficient', { scopes: ['manage_all'] });
}

/**
 * For any change of a user who may do more at this API than `manage_users` allows: throws `scope_insufficient` unless the
 * caller may do everything. Otherwise a new address, another policy or a suspension would be a way to that right, or to
 * get rid of its holder. Part of the transaction of the change, after the user is locked.
 */
export async function requireAdministratorAuthority(
  tx: Pick<StoreVerbs, 'administrators'>,
  account: Pick<Account, 'id'>,
  userId: number,
  authority: Authority,
): Promise<void> {
  if (authority === 'all') return;
  const scopes = (await tx.administrators.find(account.id, userId))?.scopes ?? [];
  if (scopes.some((scope) => !ofManageUsers.includes(scope))) {
    throw new Failure('scope_insufficient', { scopes: ['manage_all'] });
  }
}
