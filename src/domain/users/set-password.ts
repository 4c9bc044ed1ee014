import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { Milliseconds } from '../../store/time.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';
import { Failure } from '../failure.ts';
import { shareOf } from '../fair-queue/share.ts';
import { findWeakness, mostCharacters, type PasswordOwner } from './password-rules.ts';

/** The digest of a new password that keeps the rules. Throws `value_invalid` with name `password`, saying which rule it breaks. */
export async function digestNewPassword(
  { passwords }: Pick<Services, 'passwords'>,
  account: Account,
  user: PasswordOwner['user'],
  policy: PolicyRecord,
  password: string,
): Promise<string> {
  const weakness = findWeakness(password, policy, { account, user });
  if (weakness) throw new Failure('value_invalid', { name: 'password', message: `password ${weakness}` });
  return passwords.digest(password, shareOf(account));
}

/** The digest of a password that only has to be one: up to 256 characters, for callers who may set aside the rules. */
export async function digestAnyPassword(
  { passwords }: Pick<Services, 'passwords'>,
  account: Account,
  password: string,
): Promise<string> {
  if ([...password].length <= mostCharacters && password.isWellFormed()) {
    return passwords.digest(password, shareOf(account));
  }
  throw new Failure('value_invalid', {
    name: 'password',
    message: `password must have 1 to ${mostCharacters} characters`,
  });
}

/**
 * What a new password changes about a user: one who waited for it becomes active, one who was locked or suspended stays
 * so; a pause is over.
 */
export function withPassword(user: UserRecord, passwordDigest: string, now: Milliseconds) {
  const held = user.status === userStatuses.locked || user.status === userStatuses.suspended;
  return {
    passwordDigest,
    passwordChangedAt: now,
    invalidLoginAttempts: 0,
    lockedUntil: null,
    ...(!held && { status: userStatuses.active, activatedAt: user.activatedAt ?? now }),
  };
}

/** Whether a right password has to be replaced before it opens anything: marked so, or older than the policy lets it be. */
export function mustReplacePassword(user: UserRecord, policy: PolicyRecord, now: Milliseconds): boolean {
  if (user.status === userStatuses.passwordExpired) return true;
  const { passwordExpirationDays: days } = policy;
  return days !== null && (user.passwordChangedAt ?? user.createdAt) + days * day <= now;
}
