/**
 * Limits guesses at the password of a name that no user has but `user-migration` may know. They are as limited as for a
 * user under the account's default policy, and counted before a function runs.
 */

import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { PolicyLimit, Taken } from '../limits.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';

/** The possible windows in minutes: the shortest one that covers the policy's is used. Each has its own counters. */
const windowMinutes = [1, 2, 5, 15, 30, 60, 240, 720, 1440] as const;
const longestMinutes = 1440;

/**
 * Counts a guess at the password of the name with this key, then calls `ask`; null without a call when none is left. If
 * `ask` returns null, nobody was asked and the guess does not count. If it finds the user, the count is cleared.
 */
export async function countGuess(
  services: Pick<Services, 'store' | 'limits' | 'log'>,
  account: Account,
  key: string,
  ask: () => Promise<{ readonly user: UserRecord | null } | null>,
): Promise<UserRecord | null> {
  const { limits } = services;
  const limit = await limitOf(services, account);
  const taken = await take(services, account, limit, key);
  if (taken === 'closed') return null;
  let isAsked = false;
  try {
    const asked = await ask();
    isAsked = asked !== null;
    if (asked?.user) await limits.reset(account, limit, { name: key });
    return asked?.user ?? null;
  } finally {
    if (!isAsked) await taken?.giveBack();
  }
}

async function limitOf({ store }: Pick<Services, 'store'>, account: Account): Promise<PolicyLimit> {
  const policy = await effectivePolicy({ store }, account, null, null);
  const minutes = windowMinutes.find((length) => length >= policy.lockEffectiveMinutes) ?? longestMinutes;
  return { name: 'migration', points: policy.maximumInvalidLoginAttempts, windowSeconds: minutes * 60 };
}

async function take(
  { limits, log }: Pick<Services, 'limits' | 'log'>,
  account: Account,
  limit: PolicyLimit,
  key: string,
): Promise<Taken | 'closed' | null> {
  try {
    return await limits.take(account, limit, { name: key });
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'rate_limited')) throw error;
    log.warn('user migration not asked: too many wrong passwords for one name', { account: account.record.subdomain });
    return 'closed';
  }
}
