import type { Services } from '../../services.ts';
import type { CredentialRecord } from '../../store/callers.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { firstOnly, requireRoom } from './room.ts';
import { readScopes } from './scopes.ts';

/** A new credential; its secret is not shown again. */
export interface NewCredential {
  readonly id: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly createdAt: Milliseconds;
}

/** Creates a credential with the given scopes. Throws `value_invalid` for an unknown scope, and for one too many. */
export async function createCredential(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  scopes: readonly string[],
): Promise<NewCredential> {
  const clientId = newSecret(services.random, secretPrefixes.credentialId);
  const clientSecret = newSecret(services.random, secretPrefixes.clientSecret);
  const credential = {
    accountId: account.id,
    clientId,
    secretDigest: digestOf(clientSecret),
    scopes: readScopes(scopes),
    createdAt: services.clock.now(),
    revokedAt: null,
  };
  return services.store.transaction(async (tx) => {
    const { id, scopes, createdAt } = await tx.callers.createCredential(credential);
    const target = { type: 'credential', id } as const;
    await recordEvent(tx, services, account, { action: 'credential.created', target, detail: { scopes } });
    // What was made holds others up: of two at once, the second one sees the first.
    requireRoom('credential', (await tx.callers.pageCredentials(account.id, firstOnly)).total);
    return { id, clientId, clientSecret, scopes, createdAt };
  });
}

/** The active credentials. */
export async function listCredentials(
  services: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
): Promise<CredentialRecord[]> {
  const credentials = await services.store.callers.listCredentials(account.id);
  return credentials.filter((credential) => credential.revokedAt === null);
}

/** Its tokens are inactive from then on. Throws `not_found` when there is no such active credential. */
export async function revokeCredential(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  clientId: string,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const credential = await tx.callers.findCredential(account.id, clientId);
    const revoked = credential && (await tx.callers.revokeCredential(account.id, clientId, services.clock.now()));
    if (!revoked) {
      throw new Failure('not_found', { name: 'credential', message: `there is no active credential ${clientId}` });
    }
    const target = { type: 'credential', id: credential.id } as const;
    await recordEvent(tx, services, account, { action: 'credential.revoked', target, detail: {} });
  });
}

/** The same by its number. */
export async function revokeCredentialById(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  id: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    if (!(await tx.callers.revokeCredentialById(account.id, id, services.clock.now()))) {
      throw new Failure('not_found', { name: 'credential', message: `there is no active credential ${id}` });
    }
    const target = { type: 'credential', id } as const;
    await recordEvent(tx, services, account, { action: 'credential.revoked', target, detail: {} });
  });
}
