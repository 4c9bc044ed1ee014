import type { Services } from '../../../services.ts';
import type { RedeemedGrant } from '../../../store/administrators.ts';
import type { AuthorizationParameters } from '../../../store/authorization-parameters.ts';
import type { SessionRecord } from '../../../store/sessions.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Milliseconds } from '../../../store/time.ts';
import type { Account } from '../../accounts/account.ts';
import { minute } from '../../durations.ts';
import { digestOf, newSecret } from '../../secrets.ts';

const codeMilliseconds = minute;

/** Stores a new authorization code of a session for the console; returns its text. */
export async function createConsoleCode(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  tx: Pick<StoreVerbs, 'administrators'>,
  account: Account,
  { userId, sid, authenticatedAt }: SessionRecord,
  parameters: AuthorizationParameters,
): Promise<string> {
  const code = newSecret(random, '');
  const now = clock.now();
  await tx.administrators.addGrant({
    accountId: account.id,
    digest: digestOf(code),
    userId,
    sid,
    parameters,
    tokenDigest: null,
    thumbprint: null,
    authenticatedAt,
    createdAt: now,
    usedAt: null,
    expiresAt: now + codeMilliseconds,
  });
  return code;
}

/** Makes a token of the code with this digest; false when it has expired or was used before. */
export function redeemConsoleCode(
  tx: Pick<StoreVerbs, 'administrators'>,
  account: Account,
  digest: string,
  redeemed: RedeemedGrant,
  now: Milliseconds,
): Promise<boolean> {
  return tx.administrators.redeemGrant(account.id, digest, redeemed, now);
}
