/** Turns of checks of syntax: each may take a core for two seconds, and an account may ask for many at once. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { createFairQueue, type FairQueue } from '../fair-queue/fair-queue.ts';
import { inTurnOfAccount } from '../fair-queue/turns.ts';
import { perKey } from '../per-key.ts';
import type { SyntaxVerdict } from './runner.ts';

const turns = 2;
const turnsOfAccount = 1;
/** Checks of all accounts that have a turn or wait for one. */
const most = 64;

const queueOf = perKey<Services['hooks'], FairQueue>(() => createFairQueue({ turns, turnsOfAccount, most }));

/** Checks the source when the account has a turn. Throws `unavailable` when that takes too long, or too many wait. */
export function inSyntaxTurn(
  { hooks }: Pick<Services, 'hooks'>,
  account: Pick<Account, 'id'>,
  source: string,
): Promise<SyntaxVerdict> {
  const reason = 'too many functions are being checked';
  return inTurnOfAccount(queueOf(hooks), account, reason, () => hooks.checkSyntax(source));
}
