import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { Failure } from '../failure.ts';

/** Tells the trail of a call with an API key that was refused: everything done with a key stands there (document §5). */
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
