/** When the trail of an account was last found to be whole: what nobody verifies, nobody can rely on. */

import type { Services } from '../../services.ts';
import type { AccountRecord } from '../../store/accounts.ts';
import type { Milliseconds } from '../../store/time.ts';

type Verified = Pick<AccountRecord, 'id' | 'createdAt'>;

function factOf({ id }: Pick<Verified, 'id'>): string {
  return `audit_verified ${id}`;
}

export async function noteVerified(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Verified, 'id'>,
): Promise<void> {
  await store.facts.replace(factOf(account), String(clock.now()));
}

/** When the account was made, if its trail was never verified. */
export async function verifiedAt({ store }: Pick<Services, 'store'>, account: Verified): Promise<Milliseconds> {
  return Number((await store.facts.read(factOf(account))) ?? account.createdAt);
}
