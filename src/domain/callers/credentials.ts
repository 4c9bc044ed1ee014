import type { Services } from '../../services.ts';
import type { CredentialRecord, Milliseconds } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { readScopes } from './scopes.ts';

/** A new pair, the only time its secret is known. */
export interface NewCredential {
  readonly id: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly createdAt: Milliseconds;
}

/** Makes a credential with the scopes named. Throws `value_invalid` for an unknown scope. */
export async function createCredential(
  services: Pick<Services, 'store' | 'clock' | 'random'>,
  account: Pick<Account, 'id'>,
  scopes: readonly string[],
): Promise<NewCredential> {
  const clientId = newSecret(services.random, secretPrefixes.credentialId);
  const clientSecret = newSecret(services.random, secretPrefixes.clientSecret);
  const credential = await services.store.callers.createCredential({
    accountId: account.id,
    clientId,
    secretDigest: digestOf(clientSecret),
    scopes: readScopes(scopes),
    createdAt: services.clock.now(),
    revokedAt: null,
  });
  const { id, createdAt } = credential;
  return { id, clientId, clientSecret, scopes: credential.scopes, createdAt };
}

/** The credentials in force. */
export async function listCredentials(
  services: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
): Promise<CredentialRecord[]> {
  const credentials = await services.store.callers.listCredentials(account.id);
  return credentials.filter((credential) => credential.revokedAt === null);
}

/** Its tokens are inactive from then on. Throws `not_found` when no such credential is in force. */
export async function revokeCredential(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  clientId: string,
): Promise<void> {
  const revoked = await services.store.callers.revokeCredential(account.id, clientId, services.clock.now());
  if (!revoked)
    throw new Failure('not_found', { name: 'credential', message: `no credential ${clientId} is in force` });
}

/** The same by its number. */
export async function revokeCredentialById(
  services: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  id: number,
): Promise<void> {
  if (await services.store.callers.revokeCredentialById(account.id, id, services.clock.now())) return;
  throw new Failure('not_found', { name: 'credential', message: `no credential ${id} is in force` });
}
