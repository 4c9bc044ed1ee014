import type { Account } from '../accounts/account.ts';
import type { LimitSubject, Limits } from '../limits.ts';

/**
 * Runs an authentication and counts it when it fails (null). Only failures without a later success count, because some
 * libraries try one method first and another when it fails. Throws `rate_limited` before running when too many failed.
 */
export async function limitFailures<T>(
  limits: Limits,
  account: Account,
  subject: LimitSubject,
  authenticate: () => Promise<T | null>,
): Promise<T | null> {
  const state = await limits.requireLeft(account, 'client-auth', subject);
  const result = await authenticate();
  if (result === null) await limits.take(account, 'client-auth', subject);
  else if (state && state.remaining < state.limit) await limits.reset(account, 'client-auth', subject);
  return result;
}
