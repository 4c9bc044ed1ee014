import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isDocumentId, isWelcome, longestDocumentUrl } from './document-url.ts';

/** In hexadecimal digits. */
const idLength = 32;
const timeLength = 12;

/**
 * The time in milliseconds and 80 random bits. Ids that begin with the time follow each other in the unique index; at
 * random places each registration would write a page of it.
 */
export function newClientId({ clock, random }: Pick<Services, 'clock' | 'random'>): string {
  const time = clock.now().toString(16).padStart(timeLength, '0');
  return time + random.bytes((idLength - timeLength) / 2).toString('hex');
}

/**
 * The stored client with this id, unless the account takes it no more. A text longer than any id is not looked up.
 */
export async function findClient(
  { store }: Pick<Services, 'store'>,
  account: Account,
  clientId: string | undefined,
): Promise<ClientRecord | null> {
  if (!clientId || !isWelcome(account, clientId)) return null;
  const longest = isDocumentId(clientId) ? longestDocumentUrl : idLength;
  return clientId.length <= longest ? store.clients.find(account.id, clientId) : null;
}
