import type { Services } from '../../services.ts';
import type { ApiKeyRecord } from '../../store/callers.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret, secretPrefixes } from '../secrets.ts';
import { readText } from '../text.ts';
import { firstOnly, requireRoom } from './room.ts';

/** A new key; its text is not shown again. */
export interface NewApiKey {
  readonly id: number;
  readonly name: string;
  readonly apiKey: string;
  readonly createdAt: Milliseconds;
}

/**
 * Creates a key for the deprecated surfaces. Throws `value_invalid` for a name of more than 100 characters, and for one
 * too many.
 */
export async function createApiKey(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  name: string,
): Promise<NewApiKey> {
  const apiKey = newSecret(services.random, secretPrefixes.apiKey);
  const key = {
    accountId: account.id,
    name: readText('name', name, 100),
    digest: digestOf(apiKey),
    createdAt: services.clock.now(),
    revokedAt: null,
  };
  return services.store.transaction(async (tx) => {
    const { id, name, createdAt } = await tx.callers.createApiKey(key);
    const target = { type: 'api_key', id } as const;
    await recordEvent(tx, services, account, { action: 'api_key.created', target, detail: {} });
    // What was made holds others up: of two at once, the second one sees the first.
    requireRoom('api_key', (await tx.callers.pageApiKeys(account.id, firstOnly)).total);
    return { id, name, apiKey, createdAt };
  });
}

/** The active keys. */
export async function listApiKeys(
  services: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
): Promise<ApiKeyRecord[]> {
  const keys = await services.store.callers.listApiKeys(account.id);
  return keys.filter((key) => key.revokedAt === null);
}

/** Throws `not_found` when there is no such active key. */
export async function revokeApiKey(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  id: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const revoked = await tx.callers.revokeApiKey(account.id, id, services.clock.now());
    if (!revoked) throw new Failure('not_found', { name: 'api key', message: `there is no active API key ${id}` });
    const target = { type: 'api_key', id } as const;
    await recordEvent(tx, services, account, { action: 'api_key.revoked', target, detail: {} });
  });
}
