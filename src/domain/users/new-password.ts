import type { Services } from '../../services.ts';
import type { Milliseconds } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';

/** What is stored for a password of `least` to 256 characters; throws `value_invalid` for any other. */
export async function digestPassword(
  { passwords }: Pick<Services, 'passwords'>,
  password: string,
  least = 8,
): Promise<string> {
  const length = [...password].length;
  if (length < least || length > 256 || !password.isWellFormed()) {
    throw new Failure('value_invalid', { name: 'password', message: `password must have ${least} to 256 characters` });
  }
  return passwords.digest(password);
}

/** Ends what a former password opened; answers how many grants ended. */
export async function endSignIns(
  tx: StoreVerbs,
  account: Pick<Account, 'id'>,
  userId: number,
  now: Milliseconds,
): Promise<number> {
  await tx.sessions.endOfUser(account.id, userId);
  return tx.grants.revokeOfUser(account.id, userId, now, 'password changed');
}
