/**
 * What a browser keeps of its session: a secret that opens it, and behind that the session's name, sealed. By the name
 * the session is known when it has expired and its row is deleted; it opens nothing.
 */

import type { Services } from '../../services.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { Account } from '../accounts/account.ts';
import { newSecret, secretLength } from '../secrets.ts';

export type NamedSession = Pick<SessionRecord, 'userId' | 'sid' | 'expiresAt'>;

/** Where a sealed name belongs: nothing else that is sealed opens here. */
const place = 'sessions|name';

/** Longer than any that was made here. */
const mostCharacters = 512;

export function newSessionSecret(
  { random, vault }: Pick<Services, 'random' | 'vault'>,
  account: Account,
  { userId, sid, expiresAt }: NamedSession,
): string {
  const name = Buffer.from(JSON.stringify([userId, sid, expiresAt]));
  return `${newSecret(random, '')}.${vault.seal(account.record, place, name)}`;
}

/** The session that such a text was made for, whatever has become of it; null for any other text. */
export function namedSession(
  { vault }: Pick<Services, 'vault'>,
  account: Account,
  secret: string,
): NamedSession | null {
  // Older releases sealed no name.
  if (secret[secretLength] !== '.' || secret.length > mostCharacters) return null;
  let opened: [number, string, number];
  try {
    opened = JSON.parse(vault.unseal(account.record, place, secret.slice(secretLength + 1)).toString('utf8'));
  } catch {
    // Not what this service sealed for this account, whatever is wrong with it.
    return null;
  }
  const [userId, sid, expiresAt] = opened;
  return { userId, sid, expiresAt };
}
