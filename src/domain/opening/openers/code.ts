import type { Services } from '../../../services.ts';
import type { AuthorizationParameters } from '../../../store/authorization-parameters.ts';
import type { SessionRecord } from '../../../store/sessions.ts';
import type { StoreVerbs } from '../../../store/store.ts';
import type { Account } from '../../accounts/account.ts';
import { minute } from '../../durations.ts';
import { digestOf, newSecret } from '../../secrets.ts';

const codeMilliseconds = minute;

/** Stores a new authorization code of a session; returns its text. */
export async function createCode(
  { clock, random }: Pick<Services, 'clock' | 'random'>,
  tx: Pick<StoreVerbs, 'authorizations'>,
  account: Account,
  appId: number,
  { userId, sid, amr, authenticatedAt }: SessionRecord,
  parameters: AuthorizationParameters,
): Promise<string> {
  const code = newSecret(random, '');
  const now = clock.now();
  await tx.authorizations.createCode({
    accountId: account.id,
    digest: digestOf(code),
    appId,
    userId,
    sid,
    amr,
    authenticatedAt,
    parameters,
    createdAt: now,
    expiresAt: now + codeMilliseconds,
    usedAt: null,
    grantId: null,
  });
  return code;
}
