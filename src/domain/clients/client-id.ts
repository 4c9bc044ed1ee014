import type { Random, Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';

const idBytes = 16;
/** In hexadecimal digits. */
const idLength = 2 * idBytes;

export function newClientId(random: Random): string {
  return random.bytes(idBytes).toString('hex');
}

/** The client of an id that anybody sent. One that is longer than ours is nobody's: it is not looked for. */
export async function findClient(
  { store }: Pick<Services, 'store'>,
  account: Account,
  clientId: string | undefined,
): Promise<ClientRecord | null> {
  return clientId && clientId.length <= idLength ? store.clients.find(account.id, clientId) : null;
}
