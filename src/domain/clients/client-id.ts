import type { Random, Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isDocumentId, isWelcome, longestDocumentUrl } from './document-url.ts';

const idBytes = 16;
/** In hexadecimal digits. */
const idLength = 2 * idBytes;

export function newClientId(random: Random): string {
  return random.bytes(idBytes).toString('hex');
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
