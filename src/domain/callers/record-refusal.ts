import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { Failure } from '../failure.ts';

/** Records a refused call with an API key: everything done with a key is in the trail (document §5). */
export function recordRefusal(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  operation: string,
  { code }: Failure,
): Promise<void> {
  const target = { type: 'account', id: account.id } as const;
  const event = { action: 'api_key.refused', target, detail: { operation, reason: code } } as const;
  return services.store.transaction((tx) => recordEvent(tx, services, account, event));
}
