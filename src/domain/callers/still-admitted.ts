/** Whether who was admitted when an answer began would be admitted now: for answers that go on. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { Failure } from '../failure.ts';
import { bearerToken, dpopToken } from './bearer.ts';
import { readConsoleToken } from './console-tokens.ts';
import { authenticateBearer } from './credential-tokens.ts';

/** `authorization`: the header of the request. Rejects where that cannot be found out. */
export async function isStillAdmitted(
  services: Pick<Services, 'store' | 'clock' | 'addresses'>,
  { id }: Pick<Account, 'id'>,
  authorization: string | undefined,
  scope: string,
): Promise<boolean> {
  // Its settings may be others by now.
  const record = await services.store.accounts.find(id);
  if (!record) return false;
  const account = accountOf(record, services.addresses);
  const bound = dpopToken(authorization);
  const read =
    bound === null
      ? authenticateBearer(services, account, bearerToken(authorization) ?? '')
      : readConsoleToken(services, account, bound);
  try {
    return (await read).scopes.some((one) => one === scope);
  } catch (error) {
    if (error instanceof Failure && error.code === 'caller_unauthenticated') return false;
    throw error;
  }
}
