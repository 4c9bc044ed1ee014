import type { Account } from '../accounts/account.ts';
import type { Limits } from '../limits.ts';
import { networkSourceOf } from '../network-source.ts';

/**
 * Runs an attempt to sign in and counts it against its source when it fails: when it returns null, or when `isWrong`
 * says so. The attempt is counted first and the count is taken back on success, so parallel guesses cannot exceed the
 * limit. An attempt that fails through no fault of the user does not count. Throws `rate_limited` before running when
 * too many failed. Without an address nothing is counted.
 */
export async function countFailures<Result>(
  limits: Limits,
  account: Account,
  address: string | null,
  attempt: () => Promise<Result>,
  isWrong = (result: Result) => result === null,
): Promise<Result> {
  if (address === null) return attempt();
  const subject = { source: networkSourceOf(address) };
  const taken = await limits.take(account, 'sign-in', subject);
  let wrong = false;
  try {
    const result = await attempt();
    wrong = isWrong(result);
    return result;
  } finally {
    if (!wrong) await taken?.giveBack();
  }
}
