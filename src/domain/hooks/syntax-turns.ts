/** Turns of checks of syntax: each may take a core for two seconds, and an account may ask for many at once. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { shareOf } from '../fair-queue/share.ts';
import { inTurn, queuePerKey } from '../fair-queue/turns.ts';
import type { SyntaxVerdict } from './runner.ts';

const turns = 2;
const turnsOfAccount = 1;
/** Checks of all accounts that have a turn or wait for one. */
const most = 64;
const waitMilliseconds = 30_000;
export const retryAfterSeconds = 10;

const queueOf = queuePerKey<Services['hooks']>({ turns, turnsOfAccount, most });

/** Checks the source when the account has a turn. Throws `unavailable` when that takes too long, or too many wait. */
export function inSyntaxTurn(
  { hooks }: Pick<Services, 'hooks'>,
  account: Pick<Account, 'id'>,
  source: string,
): Promise<SyntaxVerdict> {
  const otherwise = (): never => {
    throw new Failure('unavailable', { retryAfterSeconds, reason: 'too many functions are being checked' });
  };
  const share = shareOf(account);
  return inTurn(queueOf(hooks), { share, waitMilliseconds, otherwise }, () => hooks.checkSyntax(source));
}
