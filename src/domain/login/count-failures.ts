import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import type { Limits } from '../limits.ts';
import { networkSourceOf } from '../network-source.ts';

/**
 * Counts a sign-in that was refused after a right first factor as a wrong one: users who may not come in could try
 * without end. Without an address nothing counts. Nothing is thrown where others have used up the limit meanwhile: a
 * refusal that differs from that of a wrong password would tell that this one was right.
 */
export async function countRefusal(limits: Limits, account: Account, address: string | null): Promise<void> {
  if (address === null) return;
  try {
    await limits.take(account, 'sign-in', { source: networkSourceOf(address) });
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'rate_limited')) throw error;
  }
}

/**
 * Runs an attempt to sign in and counts it against its source when it is wrong: null, or what `isWrong`
 * says. Taken first and given back, so that parallel guesses cannot outrun it; what fails by no fault of the user's
 * counts for nothing. Throws `rate_limited` before running when too many were wrong. Without an address nothing counts.
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
