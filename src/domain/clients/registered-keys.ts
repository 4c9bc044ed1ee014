import type { Services } from '../../services.ts';
import type { RegisteredKey } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';

/**
 * The keys that a client registered, by value or at its address, which is asked again while they do not have what is
 * looked for; null if it has none. Throws `unavailable` as `ClientKeys` does.
 */
export async function readKeys(
  { clientKeys }: Pick<Services, 'clientKeys'>,
  client: ClientRecord,
  isKnown: (keys: readonly RegisteredKey[]) => boolean,
): Promise<readonly RegisteredKey[] | null> {
  const { jwks, jwks_uri: uri } = client.extra;
  if (jwks) return jwks.keys;
  return uri === undefined ? null : clientKeys.read(client, uri, isKnown);
}
