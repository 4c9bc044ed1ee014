import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { digestOf, secretPrefixes } from '../secrets.ts';

/** Who calls a deprecated surface: a key in force, and the account whose it is. */
interface ApiKeyCaller {
  readonly apiKeyId: number;
  readonly account: Account;
}

const keyForm = new RegExp(`^${secretPrefixes.apiKey}[\\w-]{43}$`);

/**
 * The key that a text is, or null when no such key is in force. On an account's own host (`account`) it must be that
 * account's: another's is as good as none. Keys are found by their digest, so that the time of a search tells nothing.
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
