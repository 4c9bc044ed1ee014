import type { Services } from '../../services.ts';
import type { Milliseconds } from '../../store/records.ts';
import type { AccessTokenStanding } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { matchesDigest } from '../secrets.ts';
import { parseAccessToken } from './token-text.ts';

/** The stored access token that a text is, whatever its standing; null when there is none. */
export async function findAccessToken(
  { store }: Pick<Services, 'store'>,
  account: Account,
  text: string,
): Promise<AccessTokenStanding | null> {
  const parsed = parseAccessToken(text);
  const found = parsed && (await store.grants.findAccessToken(account.id, parsed.id));
  return parsed && found && matchesDigest(parsed.secret, found.token.digest) ? found : null;
}

/** Whether a token opens anything now: not expired or revoked, its grant alive, its user active and still assigned. */
export function isActive({ token, grant, user, assigned }: AccessTokenStanding, now: Milliseconds): boolean {
  if (token.revokedAt !== null || token.expiresAt <= now) return false;
  if (token.userId === null) return true;
  return grant?.revokedAt === null && user?.status === 1 && assigned;
}
