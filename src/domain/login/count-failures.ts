import type { Limits } from '../../services.ts';
import type { Account } from '../accounts/account.ts';

/**
 * Runs an attempt to sign in and counts it against the address it came from when it is wrong: null, or what `isWrong`
 * says. Taken first and given back, so that parallel guesses cannot outrun it; what fails by no fault of the user's
 * counts for nothing. Throws `rate_limited` before running when too many were wrong. Without an address nothing counts.
 */
export async function countFailures<Result>(
  limits: Limits,
  account: Account,
  source: string | null,
  attempt: () => Promise<Result>,
  isWrong = (result: Result) => result === null,
): Promise<Result> {
  if (source === null) return attempt();
  await limits.take(account, 'sign-in', source);
  let wrong = false;
  try {
    const result = await attempt();
    wrong = isWrong(result);
    return result;
  } finally {
    if (!wrong) await limits.refund(account, 'sign-in', source);
  }
}
