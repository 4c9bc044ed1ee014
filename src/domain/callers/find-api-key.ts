import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { digestOf, secretPrefixes } from '../secrets.ts';

/** The caller of a deprecated surface: an active key and its account. */
interface ApiKeyCaller {
  readonly apiKeyId: number;
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
  const key = await store.callers.findApiKey(digestOf(text));
  if (!key || key.revokedAt !== null) return null;
  if (account) return key.accountId === account.id ? { apiKeyId: key.id, account } : null;
  const record = await store.accounts.find(key.accountId);
  return record && { apiKeyId: key.id, account: accountOf(record, addresses) };
}
