/**
 * The cookie of a session: a secret that opens the session, then the session's name, sealed. The name identifies the
 * session after it has expired and its row was deleted; it opens nothing.
 */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { Account } from '../accounts/account.ts';
import { newSecret, secretLength } from '../secrets.ts';

export type NamedSession = Pick<SessionRecord, 'userId' | 'sid' | 'expiresAt'>;

/** Binds a sealed name to its use: other sealed texts do not open here. */
const place = 'sessions|name';

/** Longer than any cookie that this service made. */
const mostCharacters = 512;

export function newSessionSecret(
  { random, vault }: Pick<Services, 'random' | 'vault'>,
  account: Account,
  { userId, sid, expiresAt }: NamedSession,
): string {
  const name = Buffer.from(JSON.stringify([userId, sid, expiresAt]));
  return `${newSecret(random, '')}.${vault.seal(account.record, place, name)}`;
}

/** The session that such a cookie was made for, whatever its state; null for any other text. */
export function namedSession(
  { vault }: Pick<Services, 'vault'>,
  account: Account,
  secret: string,
): NamedSession | null {
  // Older releases did not add a sealed name.
  if (secret[secretLength] !== '.' || secret.length > mostCharacters) return null;
  let opened: [number, string, number];
  try {
    opened = JSON.parse(vault.unseal(account.record, place, secret.slice(secretLength + 1)).toString('utf8'));
  } catch {
    // Not sealed by this service for this account.
    return null;
  }
  const [userId, sid, expiresAt] = opened;
  return { userId, sid, expiresAt };
}
