import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { foldIdentifier } from '../users/identifiers.ts';

/** Wrong passwords in a row that close sign-in by password, and for how long. */
export const maximumInvalidLoginAttempts = 10;
export const lockEffectiveMinutes = 15;

export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** Address the attempt came from. */
  readonly source: string;
}

/**
 * The user whose name and password these are, or null: for an unknown name, a wrong password and a closed sign-in
 * alike, after the same work. All doors share it and its counters. Says nothing about the user's standing.
 * Throws `rate_limited` when too many attempts from this address failed, `unavailable` when too many wait.
 */
export async function checkPassword(
  services: Pick<Services, 'store' | 'clock' | 'passwords' | 'limits'>,
  account: Account,
  attempt: PasswordAttempt,
): Promise<UserRecord | null> {
  const { limits } = services;
  // Taken first and given back after success, so that parallel guesses cannot outrun it.
  await limits.take(account, 'sign-in', attempt.source);
  let refused = false;
  try {
    const user = await compare(services, account, attempt);
    refused = user === null;
    return user;
  } finally {
    // A fault of the service is no failed sign-in either.
    if (!refused) await limits.refund(account, 'sign-in', attempt.source);
  }
}

async function compare(
  services: Pick<Services, 'store' | 'clock' | 'passwords'>,
  account: Account,
  attempt: PasswordAttempt,
): Promise<UserRecord | null> {
  const { store, passwords } = services;
  const key = foldIdentifier(attempt.username);
  const user = key === null ? null : await store.users.findByName(account.id, key);
  // A pause that is known already is not asked about again: every refusal costs one search and one write.
  const open = user !== null && (user.lockedUntil ?? 0) <= services.clock.now();
  const counted = open && (await countAttempt(services, user));
  if (!counted) await store.users.countDecoyAttempt(account.id);
  const right = await passwords.verify(attempt.password, counted ? user.passwordDigest : null);
  if (!right || user === null) return null;
  await store.users.clearAttempts(account.id, user.id);
  return user;
}

/** Before the hash is computed: however many arrive at once, no more than the maximum are tried. */
function countAttempt({ store, clock }: Pick<Services, 'store' | 'clock'>, user: UserRecord): Promise<boolean> {
  const now = clock.now();
  return store.users.countAttempt({
    accountId: user.accountId,
    userId: user.id,
    now,
    maximum: maximumInvalidLoginAttempts,
    lockedUntil: now + lockEffectiveMinutes * 60_000,
  });
}
