import type { Random, Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';

const idBytes = 16;
/** In hexadecimal digits. */
const idLength = 2 * idBytes;

export function newClientId(random: Random): string {
  return random.bytes(idBytes).toString('hex');
}

/** The client with this id. A text longer than any id is not looked up. */
export async function findClient(
  { store }: Pick<Services, 'store'>,
  account: Account,
  clientId: string | undefined,
): Promise<ClientRecord | null> {
  return clientId && clientId.length <= idLength ? store.clients.find(account.id, clientId) : null;
}
