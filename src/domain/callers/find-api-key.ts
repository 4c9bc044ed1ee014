import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { digestOf, secretPrefixes } from '../secrets.ts';

/** The caller of a deprecated surface: an active key and its account. */
interface ApiKeyCaller {
  readonly apiKeyId: number;
  /** By which it is found again. */
  readonly digest: string;
  readonly account: Account;
}

const keyForm = new RegExp(`^${secretPrefixes.apiKey}[\\w-]{43}$`);

/**
 * The key with this text, or null when there is no such active key. On an account's own host (`account`) only that
 * account's keys count. Keys are found by their digest, so the time of the lookup reveals nothing.
 */
export async function findApiKey(
  { store, addresses }: Pick<Services, 'store' | 'addresses'>,
  account: Account | null,
  text: string | undefined,
): Promise<ApiKeyCaller | null> {
  if (text === undefined || !keyForm.test(text)) return null;
  const digest = digestOf(text);
  const key = await findActive(store, digest);
  if (!key) return null;
  const caller = { apiKeyId: key.id, digest };
  if (account) return key.accountId === account.id ? { ...caller, account } : null;
  const record = await store.accounts.find(key.accountId);
  return record && { ...caller, account: accountOf(record, addresses) };
}

async function findActive(store: Pick<StoreVerbs, 'callers'>, digest: string) {
  const key = await store.callers.findApiKey(digest);
  return key?.revokedAt === null ? key : null;
}

/** Whether a key that was found is still there. */
export async function isKeyActive(store: Pick<StoreVerbs, 'callers'>, digest: string): Promise<boolean> {
  return (await findActive(store, digest)) !== null;
}
