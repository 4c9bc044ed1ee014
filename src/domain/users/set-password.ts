import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { Milliseconds } from '../../store/time.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';
import { Failure } from '../failure.ts';
import { shareOf } from '../fair-queue/share.ts';
import { findWeakness, mostCharacters, type PasswordOwner } from './password-rules.ts';

/**
 * The digest of a new password that satisfies the rules. Throws `value_invalid` with name `password`, saying which rule
 * is broken.
 */
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

/** The digest of a password of up to 256 characters, for callers that may bypass the rules. */
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
 * The changes to a user that a new password makes. An unactivated user becomes active; a locked or suspended user stays
 * so; the pause after wrong passwords ends.
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

/**
 * Whether a right password must be replaced before it opens anything: marked as expired, or older than the policy
 * allows.
 */
export function mustReplacePassword(user: UserRecord, policy: PolicyRecord, now: Milliseconds): boolean {
  if (user.status === userStatuses.passwordExpired) return true;
  const { passwordExpirationDays: days } = policy;
  return days !== null && (user.passwordChangedAt ?? user.createdAt) + days * day <= now;
}
