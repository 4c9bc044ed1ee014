import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { type BasicPair, readBasic } from '../callers/basic.ts';
import { limitFailures } from '../callers/limit-failures.ts';
import { Failure } from '../failure.ts';
import { matchesDigest } from '../secrets.ts';

export type AuthenticatedClient = ClientRecord;

/** How a client showed who it is: the Authorization header, members of the form, or both. */
export interface PresentedClient {
  readonly authorization: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly source: string;
}

/**
 * Authenticates a client by its registered method and no other (RFC 6749 §2.3). Uses up nothing.
 * Throws `authorization_header_malformed`, `client_unknown`, `client_authentication_failed`, `rate_limited`.
 */
export async function authenticateClient(
  services: Pick<Services, 'store' | 'limits' | 'clock'>,
  account: Account,
  presented: PresentedClient,
): Promise<ClientRecord> {
  const challenged = presented.authorization !== undefined;
  const basic = presented.authorization === undefined ? null : readBasic(presented.authorization);
  if (challenged && !basic) throw new Failure('authorization_header_malformed', { challenged });
  const clientId = basic?.id ?? presented.clientId;
  const client = clientId ? await services.store.clients.find(account.id, clientId) : null;
  const authentic = await limitFailures(services.limits, account, `${clientId ?? ''} ${presented.source}`, async () => {
    if (isAuthentic(client, basic, presented, services.clock)) return client;
    // A client that does not exist was looked up in the database; so is one whose secret was wrong, for the time it takes.
    if (client) await services.store.clients.find(account.id, client.clientId, 'fresh');
    return null;
  });
  if (authentic) return authentic;
  throw new Failure(client ? 'client_authentication_failed' : 'client_unknown', { challenged });
}

function isAuthentic(
  client: ClientRecord | null,
  basic: BasicPair | null,
  presented: PresentedClient,
  clock: Services['clock'],
): boolean {
  const { clientId, clientSecret } = presented;
  // An unknown client takes as long as a wrong secret.
  if (!client) return matchesDigest(basic?.secret ?? clientSecret ?? '', null);
  if (basic && clientId !== undefined && clientId !== basic.id) return false;
  if (basic && clientSecret !== undefined) return false;
  const method = basic ? 'client_secret_basic' : clientSecret !== undefined ? 'client_secret_post' : 'none';
  const either = !client.authMethodNamed && client.authMethod !== 'none' && method !== 'none';
  if (method !== client.authMethod && !either) return false;
  if (client.secretDigest === null) return method === 'none';
  const secret = basic?.secret ?? clientSecret ?? '';
  return matchesDigest(secret, client.secretDigest) || isFormerSecret(client, secret, clock);
}

/** Whether it is the secret before the current one, and that is still valid. Most clients have none. */
function isFormerSecret(
  { previousSecretDigest, previousSecretExpiresAt }: ClientRecord,
  secret: string,
  clock: Services['clock'],
): boolean {
  if (previousSecretDigest === null || previousSecretExpiresAt === null) return false;
  return matchesDigest(secret, previousSecretDigest) && clock.now() < previousSecretExpiresAt;
}
